"""Compare the eager run of a program with its compiled run, call by call."""

from collections.abc import Callable
from typing import Any

from adjoint.compile.compiled import Compiled
from scalar_programs.noise import tolerances
from scalar_programs.program import Program, Run, Snapshot, identity


class Failure(AssertionError):
    """A program whose compiled run differs from the eager one."""

    def __init__(self, program: Program, line: str, message: str):
        super().__init__(message)
        self.program, self.line, self.message = program, line, message

    def __str__(self) -> str:
        return f"# seed {self.program.seed}: {self.line}: {self.message}\n{self.program.source}"


def check(program: Program, jit: Callable, all_bits: bool, eager: Run | None = None) -> bool:
    """Raise a Failure if the runs differ; return whether they agree in each bit.

    With `all_bits`, and if no sum was reordered, programs that the generator calls exact must agree in each bit.
    """
    eager, compiled = eager or program.run(identity), program.run(jit)
    if compiled.error is not None and eager.failed_at != compiled.failed_at:
        raise Failure(program, compiled.failed_at or "", _described(compiled)) from compiled.error
    if eager.error is not None and eager.failed_at != compiled.failed_at:
        raise Failure(program, eager.failed_at or "", f"no error, but run eagerly {_described(eager)}")
    differing = [_differences(program, a, b) for a, b in zip(eager.snapshots, compiled.snapshots, strict=True)]
    if not any(differing):
        return True
    all_bits = all_bits or not has_reordered_sums(compiled.step)
    allowed = tolerances(program, eager.snapshots)
    is_outside = any(".backward()" in call for call in program.calls)
    for found, tolerance, snapshot in zip(differing, allowed, eager.snapshots):
        for path, (expected, given) in found.items():
            # Outside of a pure function, backward() uses its derivative. The chain of operations may give NaN where the
            # derivative overflows, or the other way around: 0 times infinity.
            if is_outside and path.endswith("grad") and any(x != x for x in (expected, given)):
                continue
            exact = (all_bits and program.exact) or not isinstance(expected, float) or not isinstance(given, float)
            if exact or not abs(expected - given) <= tolerance.get(path, 0.0):
                raise Failure(program, snapshot.line, f"{path} is {given!r}, but run eagerly {expected!r}")
    return False


def has_reordered_sums(step: Any) -> bool:
    """Return whether a compiled step says that one of its programs adds in another order."""
    if not isinstance(step, Compiled):
        return True
    counts = [entry._tape.describe() for entry in step._programs._entries.values() if hasattr(entry, "_tape")]
    return any(found.get("reordered_sums", 0) for found in counts)


def _described(run: Run) -> str:
    return f"{type(run.error).__name__}: {run.error}"


def _differences(program: Program, eager: Snapshot, compiled: Snapshot) -> dict[str, tuple[Any, Any]]:
    ours, theirs = {**compiled.result, **compiled.state}, {**eager.result, **eager.state}
    differing = {}
    for path in {**theirs, **ours}:
        # eagerly, `where` returns one of its operands itself
        if not program.exact and path.endswith((" is", ": type")) and "step(" in eager.line:
            continue
        expected, given = theirs.get(path, "nothing"), ours.get(path, "nothing")
        if not program.exact and isinstance(expected, int) and type(given) is float:
            expected = float(expected)  # a `where` of an int and a float
        if not is_same(expected, given):
            differing[path] = expected, given
    return differing


def is_same(x: Any, z: Any) -> bool:
    """Return whether two numbers have the same type and bits; all NaN count as one, and both zeros do.

    A recorded backward pass adds nothing to a gradient of zero, so that -0.0 stays -0.0.
    """
    if isinstance(x, float) and isinstance(z, float):
        return x == z or (x != x and z != z)
    return type(x) is type(z) and x == z
