"""Sorting and running results, for `adjoint check`."""

import adjoint
from adjoint.cli.checks import Groups

GROUPS: Groups = {
    "order": {
        "sort, with indices": lambda x: adjoint.sort(x, descending=True, return_indices=True)[0],
        "topk, smallest": lambda x: adjoint.topk(x, 2, largest=False)[0],
        "partition": lambda x: adjoint.partition(x, 1, axis=1),
        "cummax": lambda x: adjoint.cummax(x, axis=1)[0],
        "cummin": lambda x: adjoint.cummin(x, axis=0)[0],
        "logcumsumexp": lambda x: adjoint.logcumsumexp(x, axis=1),
    },
}
