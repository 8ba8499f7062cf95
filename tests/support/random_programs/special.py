"""Lines for what typical programs leave out: keywords, broadcasting along the reduced axis, integers, infinities.

Numbers at infinity and integers have no central differences: PyTorch and NumPy are the reference, at once.
"""

import math
import re

import numpy as np
import pytest

import adjoint
from adjoint import Value
from random_programs.build import Builder, Failure
from random_programs.program import NAMES, Leaf, Program, Step, compiled, numbers

torch = pytest.importorskip("torch")

ONE_LINE = ("at infinity", "integers")  # the checks of programs of one line, with a reference of their own

# --- keywords ------------------------------------------------------------------------------------------------------

_OF_ONE = ("sum", "mean", "logsumexp", "amax", "amin", "cumsum", "softmax", "log_softmax", "flip", "unsqueeze")
_KEEPING = ("sum", "mean", "logsumexp", "amax", "amin")  # those with `keepdim`
_OF_TWO = ("cosine_similarity", "linalg.vecdot")


def keywords(builder: Builder) -> None:
    """Add a call with PyTorch's words; the second of two arrays may have size 1 along any axis."""
    x = builder.operand(varies=True)
    if not x.shape or x.number:
        x = builder.new_leaf(builder.shape(1), True)
    dim = builder.random.randrange(len(x.shape)) - builder.one_of(0, len(x.shape))
    if builder.chance(0.5):
        shape = tuple(1 if builder.chance(0.5) else side for side in x.shape)
        y = builder.new_leaf(shape, builder.chance(0.5))
        name, operands = builder.one_of(*_OF_TWO), (x, y)
        if y.number:
            return
    else:
        name, operands = builder.one_of(*_OF_ONE), (x,)
    word = "dims" if name == "flip" else "dim"
    options: dict = {word: dim}
    if name in _KEEPING and builder.chance(0.5):
        options["keepdim"] = builder.one_of(True, False)
    function = torch.linalg.vecdot if name == "linalg.vecdot" else getattr(torch, name)
    try:
        chosen = {**options, "dims": (dim,)} if name == "flip" else options
        expected = function(*[torch.tensor(np.array(node.value)) for node in operands], **chosen).numpy()
    except (RuntimeError, IndexError):
        return  # such as the maximum of no elements
    given = ", ".join([*(node.name for node in operands), *(f"{key}={option!r}" for key, option in options.items())])
    prefix = "" if name.startswith("linalg.") else "adjoint."
    builder.add(f"{prefix}{name}({given})", operands, expected)


# --- infinities ----------------------------------------------------------------------------------------------------

_SPECIAL = (np.inf, -np.inf, 0.0, 1.0, -1.0, 2.5)
_AT_INFINITY = {
    "adjoint.clamp_min(x, z)": lambda x, z: torch.clamp(x, min=z),
    "adjoint.clamp_max(x, z)": lambda x, z: torch.clamp(x, max=z),
    "adjoint.clip(x, min=z)": lambda x, z: torch.clamp(x, min=z),
    "adjoint.clip(x, z, 2.0 * z)": lambda x, z: torch.clamp(x, z, 2.0 * z),
    "adjoint.maximum(x, z)": torch.maximum,
    "adjoint.minimum(x, z)": torch.minimum,
    "adjoint.where(x > z, x, z)": lambda x, z: torch.where(x > z, x, z),
    "adjoint.logaddexp(x, z)": torch.logaddexp,
    "adjoint.relu(x) + adjoint.abs(z)": lambda x, z: torch.relu(x) + torch.abs(z),
    "adjoint.exp(-adjoint.abs(x)) * adjoint.tanh(z)": lambda x, z: torch.exp(-torch.abs(x)) * torch.tanh(z),
    "adjoint.amax(adjoint.stack([x, z]))": lambda x, z: torch.amax(torch.stack([x, z])),
}


def at_infinity(builder: Builder) -> None:
    """Compare a function of infinite numbers, and its gradients, with PyTorch's."""
    text = builder.one_of(*_AT_INFINITY)
    shape = builder.one_of((), (), (3,), (1, 2), (0,))
    if not np.prod(shape) and "amax" in text:
        return
    datas = [np.array([builder.one_of(*_SPECIAL) for _ in range(int(np.prod(shape)))]).reshape(shape) for _ in "xz"]
    if "logaddexp" in text and np.any(np.isinf(datas[0]) & (datas[0] == datas[1])):
        return  # PyTorch has NaN there, and NumPy the infinity
    theirs = [torch.tensor(x, requires_grad=True) for x in datas]
    expected = _AT_INFINITY[text](*theirs)
    expected.sum().backward()
    is_number = shape == () and builder.chance(0.5)
    leaves = tuple(
        Leaf(
            name,
            x,
            repr(x.item()) if is_number or not shape else numbers(x),
            "Tensor" if shape == () and not is_number else "Value",
            is_number,
        )
        for name, x in zip("xz", datas)
    )
    program = Program(leaves, (Step("y", text, ("x", "z")),), "y")
    ours = [leaf.variable() for leaf in leaves]
    found = eval(compiled(text), NAMES, dict(zip("xz", ours)))
    adjoint.sum(found).backward()
    _require_equal(program, "result", found, expected.detach().numpy())
    for leaf, v, t in zip(leaves, ours, theirs):
        _require_equal(
            program, f"gradient of {leaf.name}", v.grad, np.zeros(shape) if t.grad is None else t.grad.numpy()
        )


def _require_equal(program: Program, what: str, found, expected: np.ndarray) -> None:
    found = np.asarray(found.data if isinstance(found, Value) else found, float)
    if not np.allclose(found, expected, equal_nan=True):
        raise Failure(program, "at infinity", f"the {what} is {found.tolist()}, not {expected.tolist()}")


# --- integers ------------------------------------------------------------------------------------------------------

_OF_INTEGERS = (
    "concat([x, z])", "stack([x, z])", "where(x > z, x, z)", "flip(x)", "sort(x, axis=0)", "roll(x, 1)",
    "cumsum(x, axis=0)", "max(x, axis=0)", "sum(x)", "reshape(x, (-1,))", "take(x, [0, 0], axis=0)", "maximum(x, z)",
    "clip(x, z, z)", "repeat(x, 2)", "pad(x, 1)", "tril(x)", "diagonal(x)", "prod(x, axis=-1)", "where(x > z, x, 0)",
    "nansum(x)", "cummin(x, 0)[0]",
)  # fmt: skip
# not of numbers and rows: NumPy makes rows and matrices of them, PyTorch does not; the larger of two numbers is a float
_OF_ARRAYS = ("maximum", "take", "cumsum", "tril")


def integers(builder: Builder) -> None:
    """Require that a function which chooses or arranges integers gives the numbers and the dtype of NumPy's."""
    text = builder.one_of(*_OF_INTEGERS)
    dtype = builder.one_of("int64", "int32", "int16", "int8", "uint8", "bool")
    shape = builder.one_of((2, 3), (3, 3), (1, 2), (3, 1), (), (0,), (0, 3), (2, 0))
    if len(shape) < 2 and any(name in text for name in _OF_ARRAYS):
        return
    datas = [np.array(builder.random.choices(range(-3, 100), k=math.prod(shape)), int).reshape(shape) for _ in "xz"]
    datas = [x.astype(dtype) for x in datas]
    used = [name for name in "xz" if re.search(rf"\b{name}\b", text)]
    leaves = tuple(Leaf(name, x, numbers(x), varies=False) for name, x in zip("xz", datas) if name in used)
    program = Program(leaves, (Step("y", f"adjoint.{text}", tuple(used)),), "y")
    names = dict(zip("xz", datas))
    try:
        expected = np.minimum.accumulate(datas[0], 0) if "cummin" in text else eval(f"np.{text}", {"np": np}, names)
    except (ValueError, IndexError, TypeError):
        return  # such as the largest of no elements, and an axis of a number
    try:
        found = eval(compiled(f"adjoint.{text}"), NAMES, dict(names))
    except Exception as error:
        raise Failure(program, "integers", f"{type(error).__name__}: {error}") from error
    if getattr(found, "dtype", None) != expected.dtype:
        raise Failure(program, "integers", f"the dtype is {getattr(found, 'dtype', type(found))}, not {expected.dtype}")
    if not np.array_equal(found, expected):
        raise Failure(program, "integers", f"the numbers are {found.tolist()}, not {expected.tolist()}")
