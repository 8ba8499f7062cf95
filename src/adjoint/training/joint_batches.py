"""Check that all processes have the same number of batches.

A process that has no more batches would leave the others waiting in a step forever. Where the number of batches is
known, the processes compare it once. Otherwise they meet before each step at a barrier of JAX's coordinator, which
takes about a millisecond and does not wait for the devices.
"""

import itertools
import json
from collections.abc import Iterator, Sequence

from adjoint.errors import LaunchError
from adjoint.files.joint_saves import Processes
from adjoint.training.batch_sources import Batch, BatchSource

_DAY = 24 * 3600 * 1000  # milliseconds: reading a batch may take long
_passes = itertools.count()


def require_same_steps(source: BatchSource, processes: Processes, what: str = "training") -> None:
    """Raise in every process if they have different numbers of batches, as far as these are known."""
    _compare(
        [row[0] for row in processes.gather([-1 if source.steps is None else source.steps])], what, "an unknown number"
    )


def taken_together(source: BatchSource, processes: Processes, what: str = "training") -> Iterator[Batch]:
    """Yield the batches of an epoch; raise in every process if one of them has fewer than the others."""
    if processes.count == 1 or source.steps is not None:
        yield from source
        return
    from adjoint.distributed.coordination import coordination_client

    client, name, rest = coordination_client(), f"adjoint/batches/{next(_passes)}", iter(source)
    for n in itertools.count():
        batch = error = None
        try:
            batch = next(rest, None)
        except Exception as caught:  # the others must not wait for this process
            error = caught
        if batch is None:
            client.key_value_set(f"{name}/{processes.index}", json.dumps([n, error is not None]))
        client.wait_at_barrier(name, _DAY)
        if error is not None:
            raise error
        found = {int(key.rpartition("/")[2]): json.loads(text) for key, text in client.key_value_dir_get(name)}
        ended = {i: is_error for i, (last, is_error) in found.items() if last <= n}  # one may have ended since
        if any(ended.values()):
            failed = min(i for i in ended if ended[i])
            raise LaunchError(f"process {failed} could not read {what} batch {n + 1}, and its error says why")
        if ended:
            _compare([n if i in ended else -1 for i in range(processes.count)], what, "more")
            return
        assert batch is not None
        yield batch


def _compare(numbers: Sequence[int], what: str, other: str) -> None:
    """Raise an error if processes have different numbers of batches; -1 stands for the words of `other`."""
    if len(set(numbers)) > 1:
        said = ", ".join(f"{n if n >= 0 else other} in process {i}" for i, n in enumerate(numbers))
        raise LaunchError(
            f"the processes have different numbers of {what} batches per epoch: {said}; give every process as many, or "
            "set steps_per_epoch"
        )
