"""Functions of networks, for `adjoint check`."""

import numpy as np

import adjoint
from adjoint.cli.checks import Groups

GROUPS: Groups = {
    "networks": {
        "conv1d": lambda x: adjoint.conv1d(x.reshape((1, 3, 4)), x[:, :2].reshape((1, 3, 2))),
        "conv2d": lambda x: adjoint.conv2d(x.reshape((1, 1, 3, 4)), x[:2, :2].reshape((1, 1, 2, 2)), padding=1),
        "max_pool2d": lambda x: adjoint.max_pool2d(x.reshape((1, 1, 3, 4)), 2),
        "avg_pool2d": lambda x: adjoint.avg_pool2d(x.reshape((1, 1, 3, 4)), 2),
        "dropout": lambda x: adjoint.dropout(x, 0.5, generator=np.random.default_rng(0)),
        "scaled_dot_product_attention": lambda x: adjoint.scaled_dot_product_attention(x, x, x, causal=True),
    },
}
