"""Samples of PyTorch's OpInfo database as calls of adjoint, and how their results are compared.

A sample is a call with tensors among its arguments. Tensors with gradients become Values, others NumPy arrays.
"""

import contextlib
import copy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_leaves, tree_map

import adjoint
from adjoint.errors import AdjointError

sys.path.append(str(Path(__file__).parents[1] / "support"))
from closeness import require_close

# PyTorch's meaning of these needs PyTorch's word, `dim`, and by position they mean NumPy's: see "The rule for axis and
# dim" in docs/from_pytorch.md. These are the names of what the samples give after the array.
BY_NAME = {
    **dict.fromkeys(("max", "min", "median", "nanmedian"), (0, "dim", "keepdim")),
    **dict.fromkeys(("std", "var", "std_mean", "var_mean"), (0, "unbiased")),
    "sort": (0, "dim", "descending"),
    "split": (1, "dim"),
    "squeeze": (0, "dim"),
    "logspace": (2, "base"),
    "diagonal": (0, "offset", "dim1", "dim2"),
    "select": (0, "dim", "index"),
}
# What PyTorch does without a word that decides between its meaning and NumPy's.
DEFAULTS = {
    **{name: {"correction": 1} for name in ("std", "var", "std_mean", "var_mean")},
    "sort": {"dim": -1},
    "split": {"dim": 0},
    "diagonal": {"offset": 0},
}
# The database calls these with its own order of arguments.
ARRANGED: dict[str, Callable] = {
    "where": lambda ours: lambda x, condition, z: ours(condition, x, z),
    "einsum": lambda ours: lambda arrays, equation: ours(equation, *arrays),
    "special.polygamma": lambda ours: lambda x, n: ours(n, x),
    "nn.functional.embedding": lambda ours: lambda weight, indices, **words: ours(indices, weight, **words),
    "linalg.pinv (singular)": lambda ours: lambda a, b: ours(a @ b.mT),
}
# Results that are unique up to a sign of their columns or rows; they are compared without it.
UP_TO_SIGNS = {
    "linalg.svd": (True, False, True),
    "linalg.eigh": (False, True),
    "linalg.qr": (True, True),
}
# What they return is drawn at random: only the shape and the dtype are compared.
RANDOM = {
    "multinomial", "nn.functional.alpha_dropout", "nn.functional.dropout", "nn.functional.dropout2d",
    "nn.functional.dropout3d", "rand_like", "randint", "randn", "randn_like",
}  # fmt: skip
# PyTorch adds 1e-12 to the denominator of the second derivative, which changes the last digits; in a covariance a sum
# of weights in float32 less the correction is small; an exp multiplies the rounding of its operand, here up to 9.
CONDITIONS = {
    "nn.functional.binary_cross_entropy": 64.0,
    "cov": 16.0,
    "logcumsumexp": 8.0,
    "special.log_ndtr": 8.0,
}
# Methods that only explain why adjoint has none of this name: operations with bits, and integers as Values.
EXPLAINED = {"__rand__", "__ror__", "__rxor__", "int"}


def counterpart(name: str) -> Callable | None:
    """Return the function of adjoint with the name of an operation of PyTorch, or a function for its method."""
    if name in EXPLAINED:
        return None
    if name.startswith("nn.functional."):
        return getattr(adjoint.nn.functional, name.removeprefix("nn.functional."), None)
    found: Any = adjoint
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None and name.isidentifier() and hasattr(adjoint.Value, name):
        is_property = isinstance(getattr(adjoint.Value, name), property)

        def method(x: Any, *args: Any, **kwargs: Any) -> Any:
            bound = getattr(x if isinstance(x, adjoint.Value) else adjoint.Value(x), name)
            return bound if is_property else bound(*args, **kwargs)

        return method
    return found if callable(found) and not isinstance(found, type) else None


def in_words_of(name: str, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Return the arguments after the array, by name where a position has NumPy's meaning."""
    if name not in BY_NAME:
        return args, kwargs
    kept, *words = BY_NAME[name]
    kwargs = {**dict(zip(words, args[kept:])), **{key: x for key, x in kwargs.items() if x is not None}}
    if not {"correction", "unbiased"} & kwargs.keys():
        kwargs = {**DEFAULTS.get(name, {}), **kwargs}
    return args[:kept], kwargs


def as_ours(x: Any, made: dict[int, Any]) -> Any:
    """Return an argument of PyTorch as one of adjoint; the same tensor always becomes the same Value."""
    if isinstance(x, torch.Tensor):
        if id(x) not in made:
            data = plain(x).numpy().copy()
            made[id(x)] = adjoint.Value(data) if x.requires_grad else data
        return made[id(x)]
    if isinstance(x, torch.dtype):
        return np.dtype(str(x).removeprefix("torch."))
    if isinstance(x, torch.Size):
        return tuple(x)
    if isinstance(x, (list, tuple)):
        parts = [as_ours(part, made) for part in x]
        return parts if isinstance(x, list) else tuple(parts)
    return {key: as_ours(part, made) for key, part in x.items()} if isinstance(x, dict) else x


def plain(x: torch.Tensor) -> torch.Tensor:
    """Return a tensor without a history, whose memory has the numbers."""
    x = x.detach().resolve_conj().resolve_neg()
    return torch.zeros(x.shape, dtype=x.dtype) if x._is_zerotensor() else x


def tensors(x: Any) -> list[torch.Tensor]:
    """Return the tensors in an argument."""
    return [leaf for leaf in tree_leaves(x) if isinstance(leaf, torch.Tensor)]


def is_random(name: str, sample: Any) -> bool:
    """Return whether the result of a call is drawn at random."""
    words = sample.kwargs
    if name == "nn.functional.scaled_dot_product_attention":
        return bool(words.get("dropout_p"))
    return name in RANDOM and words.get("p") not in (0.0, 1.0) and words.get("training") is not False


def leaves(x: Any) -> list[torch.Tensor]:
    """Return the tensors with gradients in an argument."""
    return [leaf for leaf in tensors(x) if leaf.requires_grad]


def parts_of(x: Any) -> list:
    """Return a result as a flat list; complex numbers as a real and an imaginary part."""
    if isinstance(x, adjoint.fft.Spectrum) or (isinstance(x, torch.Tensor) and x.is_complex()):
        return [x.real, x.imag]
    if isinstance(x, (list, tuple)) and not isinstance(x, torch.Size):
        return [leaf for part in x for leaf in parts_of(part)]
    return [x]


class Call:
    """One call by both libraries, with the comparison of results, gradients and gradients of gradients."""

    def __init__(self, name: str, ours: Callable, theirs: Callable, sample: Any):
        self.name, self.sample = name, sample
        arguments = [sample.input, sample.args, sample.kwargs]
        self.inputs = list({id(x): x for x in leaves(arguments)}.values())
        self.functions = ours, theirs
        self.theirs = lambda: parts_of(theirs(sample.input, *sample.args, **sample.kwargs))
        made: dict[int, Any] = {}
        args, kwargs = in_words_of(name, sample.args, sample.kwargs)
        x, args, kwargs = as_ours(sample.input, made), as_ours(args, made), as_ours(kwargs, made)
        self.values = [made[id(t)] for t in self.inputs]
        self.ours = lambda: parts_of(ours(x, *args, **kwargs))
        self.rng = np.random.default_rng(0)
        floats = [x for x in tensors(arguments) if x.is_floating_point()]
        self.coarsest = min((x.dtype for x in floats), key=lambda dtype: dtype.itemsize, default=torch.float64)
        self.has_numbers = any(not x.ndim for x in floats)  # a Value without axes is a number, and these are float64

    def compare(self, second: bool) -> None:
        """Raise AssertionError for a difference, and whatever our call raises."""
        expected, found = self.theirs(), self.ours()
        if self.name == "linalg.lstsq":  # the residuals and the rank depend on the program of LAPACK
            expected, found = expected[:1], found[:1]
        assert len(found) == len(expected), f"there are {len(found)} results, not {len(expected)}"
        if is_random(self.name, self.sample):
            for ours, theirs in zip(found, expected):
                if theirs.ndim:  # numbers are float64
                    self.require([ours * 0], [theirs.detach() * 0], "zero times the result")
            return
        if signs := UP_TO_SIGNS.get(self.name):
            found = [abs(x) if sign else x for x, sign in zip(found, signs)]
            expected = [abs(x) if sign else x for x, sign in zip(expected, signs)]
        self.require(found, expected, "result")
        self.compare_slopes(found, expected, second)

    def compare_slopes(self, found: list, expected: list, second: bool) -> None:
        """Compare the gradients of a sum of the results with random weights, and of one of the gradients."""
        for y, z in zip(found, expected):
            has_gradient = isinstance(z, torch.Tensor) and z.requires_grad and z.numel()
            assert not has_gradient or isinstance(y, adjoint.Value), f"the result has no gradient: {type(y).__name__}"
        ours, theirs = self.weighted(found, expected)
        for order in ("gradient", "second derivative") if second else ("gradient",):
            if not self.inputs or not (isinstance(theirs, torch.Tensor) and theirs.requires_grad):
                return
            try:
                slopes = torch.autograd.grad(theirs, self.inputs, create_graph=second, allow_unused=True)
            except RuntimeError:  # "not implemented", of some second derivatives
                return
            for x in self.values:
                x.zero_grad()
            if isinstance(ours, adjoint.Value):
                ours.backward(create_graph=second)
            own = [x.grad for x in self.values]
            known = [torch.zeros_like(x) if g is None else g for x, g in zip(self.inputs, slopes)]
            try:
                self.require(own, known, order)
            except AssertionError as error:
                if order == "gradient" and self.is_wrong(own, known):
                    raise WrongReferenceError(str(error)) from None
                raise
            ours, theirs = self.weighted(own, known)

    def weighted(self, found: list, expected: list) -> tuple[Any, Any]:
        """Return the sums of all results that have gradients with the same random weights."""
        ours: Any = 0.0
        theirs: Any = 0.0
        for y, z in zip(found, expected):
            if isinstance(z, torch.Tensor) and z.requires_grad and z.numel():
                weight = self.rng.uniform(0.5, 1.5, tuple(z.shape))
                theirs = theirs + (z * torch.from_numpy(weight).to(z.dtype)).sum()
                ours = ours + (y * weight.astype(str(z.dtype).removeprefix("torch."))).sum()
        return ours, theirs

    def is_wrong(self, own: list, known: list) -> bool:
        """Return whether PyTorch's own values contradict its gradient and confirm ours.

        Central differences decide, also for the gradients in float64 that those in float32 are compared with.
        """
        if any(x.dtype is torch.float32 for x in self.inputs):
            return self.is_accurate(own)
        directions = [torch.from_numpy(self.rng.normal(size=tuple(x.shape))) for x in self.inputs]
        points = [x.detach().clone() for x in self.inputs]

        def value(step: float) -> float:
            self.rng = np.random.default_rng(0)
            with torch.no_grad():
                for x, point, direction in zip(self.inputs, points, directions):
                    x.copy_(point + step * direction)
                results = self.theirs()
            weights = [self.rng.uniform(0.5, 1.5, tuple(z.shape)) for z in results]
            return float(sum((z * torch.from_numpy(weight)).sum() for z, weight in zip(results, weights)))

        step = 1e-5
        measured = (4 * (value(step / 2) - value(-step / 2)) / step - (value(step) - value(-step)) / (2 * step)) / 3
        value(0.0)
        along = [
            float(
                sum(
                    (torch.as_tensor(g.data if isinstance(g, adjoint.Value) else g) * d).sum()
                    for g, d in zip(slopes, directions)
                )
            )
            for slopes in (own, [plain(g) for g in known])
        ]
        return abs(along[0] - measured) < abs(along[1] - measured) / 10

    def is_accurate(self, own: list) -> bool:
        """Return whether our gradients in float32 agree with ours in float64, and these are right."""
        sample = copy.copy(self.sample)
        wide: dict[int, Any] = {id(x): x.detach().double().requires_grad_() for x in self.inputs}
        sample.input, sample.args, sample.kwargs = tree_map(
            lambda x: wide.get(id(x), x), (sample.input, sample.args, sample.kwargs)
        )
        call = Call(self.name, *self.functions, sample)
        with contextlib.suppress(WrongReferenceError):
            call.compare(False)
        exact = [torch.from_numpy(np.asarray(x.grad)).float() for x in call.values]
        self.require(own, exact, "gradient, in float64,")
        return True

    def require(self, found: list, expected: list, what: str) -> None:
        """Require the same shapes, dtypes and numbers; the largest number among all results is the scale."""
        expected = [plain(x) if isinstance(x, torch.Tensor) else x for x in expected]
        floats = [x for x in expected if isinstance(x, torch.Tensor) and x.is_floating_point() and x.numel()]
        largest = [float(torch.nan_to_num(x, 0.0, 0.0, 0.0).abs().max()) for x in floats]
        terms = max([x.numel() for x in self.inputs], default=1) or 1
        scale = max([1.0, *largest])
        for x, z in zip(found, expected):
            dtype = getattr(z, "dtype", None)
            if isinstance(dtype, torch.dtype) and dtype.is_floating_point and dtype.itemsize > self.coarsest.itemsize:
                dtype = self.coarsest  # of an operand
            elif not (self.has_numbers and isinstance(dtype, torch.dtype) and dtype.is_floating_point):
                dtype = None
            dtype = str(dtype).removeprefix("torch.") if dtype else None
            require_close(x, z, what, terms=terms, condition=CONDITIONS.get(self.name, 1.0), scale=scale, dtype=dtype)


class WrongReferenceError(AssertionError):
    """PyTorch's gradient is contradicted by differences of its own values."""


def kind_of(error: BaseException) -> str:
    """Return what an exception of our call means."""
    text = str(error)
    if isinstance(error, WrongReferenceError):
        return "reference"
    if isinstance(error, AssertionError) and not isinstance(error, AdjointError):
        return "wrong"
    if isinstance(error, TypeError) and ("keyword argument" in text or "positional argument" in text):
        return "unknown keyword"
    return "refused" if isinstance(error, (AdjointError, MemoryError)) else "raw exception"


def describe(sample: Any) -> str:
    """Return the arguments of a sample in short."""

    def short(x: Any) -> str:
        if isinstance(x, torch.Tensor):
            return f"{str(x.dtype).removeprefix('torch.')}{list(x.shape)}"
        if isinstance(x, (list, tuple)):
            return f"[{', '.join(map(short, x))}]"
        return repr(x)

    given = [short(sample.input), *map(short, sample.args), *(f"{k}={short(v)}" for k, v in sample.kwargs.items())]
    return ", ".join(given)[:200]
