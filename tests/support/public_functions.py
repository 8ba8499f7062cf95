"""The public functions that have derivatives, and which of them a piece of code calls."""

import contextlib
import sys
import types
from collections.abc import Callable, Collection, Iterator

import adjoint
from adjoint.engine.rule import Op

MODULES = ("", "linalg", "special", "stats", "fft", "nn")

# Public functions without derivatives, and why.
NOT_OF_ARRAYS = {
    "check_gradients", "checkpoint", "compilation_cache", "custom_vjp", "detect_anomaly", "draw", "draw_dot",
    "evaluate", "find_lr", "fori_loop", "precision", "while_loop",
    "explain", "fit", "from_torch", "grad", "grouping", "guards", "hessian", "hvp", "jacobian", "jit", "jvp", "load",
    "manual_seed", "no_grad", "op", "save", "scan", "stop_gradient", "to_dot", "to_onnx", "to_torch", "tree_flatten",
    "tree_leaves", "tree_map", "tree_unflatten", "value_and_grad", "vjp", "vmap", "nn.Parameter", "nn.activation",
    "nn.diagnose", "nn.functional_call", "why",
}  # fmt: skip
INTEGERS = {
    "argmax", "argmin", "argpartition", "argsort", "multinomial", "numel", "one_hot", "linalg.matrix_rank",
}  # fmt: skip
CONSTANTS = {
    "arange", "as_tensor", "eye", "from_numpy", "full", "full_like", "ones", "ones_like", "rand", "rand_like",
    "randint", "randn", "randn_like", "randperm", "tensor", "zeros", "zeros_like", "fft.fftfreq", "fft.rfftfreq",
}  # fmt: skip
WITHOUT = {
    **dict.fromkeys(NOT_OF_ARRAYS, "it is not a function of arrays"),
    **dict.fromkeys(INTEGERS, "its result consists of integers"),
    **dict.fromkeys(CONSTANTS, "its result is a constant"),
}


def differentiable_functions() -> dict[str, Callable]:
    """Return the public functions that have derivatives, under names such as "sum" and "linalg.inv"."""
    found = {}
    for module in MODULES:
        room = getattr(adjoint, module) if module in dir(adjoint) else None if module else adjoint
        for name in dir(room) if room else ():
            function, full = getattr(room, name), f"{module}.{name}".lstrip(".")
            is_function = callable(function) and not isinstance(function, (type, types.ModuleType))
            if is_function and full not in WITHOUT:
                found[full] = function
    return found


def missing_from(called: set[str], names: Collection[str]) -> list[str]:
    """Return the public functions with derivatives that were not called.

    Rows of the table have tests of their own. Functions in C cannot be observed; they count if `names` contains one of
    theirs.
    """
    functions = differentiable_functions()
    names = {name for name, function in functions.items() if any(functions.get(n) is function for n in names)}
    return [
        name
        for name, function in functions.items()
        if name not in called
        and not isinstance(function, Op)
        and (isinstance(function, types.FunctionType) or name not in names)
    ]


@contextlib.contextmanager
def calls() -> Iterator[set[str]]:
    """Collect the names of the public functions that are called inside a block, and not by one another."""
    found: set[str] = set()
    known: dict[types.CodeType, list[tuple[str, types.FunctionType]]] = {}
    for name, function in differentiable_functions().items():
        if isinstance(function, types.FunctionType):
            known.setdefault(function.__code__, []).append((name, function))
    depth = 0

    def observe(frame: types.FrameType, event: str, _: object) -> None:
        nonlocal depth
        if frame.f_code in known and event in ("call", "return"):
            if event == "call" and depth == 0:
                found.update(name for name, function in known[frame.f_code] if _is_of(frame, function))
            depth += 1 if event == "call" else -1

    before = sys.getprofile()
    sys.setprofile(observe)
    try:
        yield found
    finally:
        sys.setprofile(before)


def _is_of(frame: types.FrameType, function: types.FunctionType) -> bool:
    """Whether a frame runs this function, and not another one that the same lines define."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or ())
    return all(frame.f_locals.get(name) is cell.cell_contents for name, cell in cells)
