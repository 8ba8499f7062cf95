"""PyTorch's database of modules, `module_db`: the layers and losses of `torch.nn`, with arguments and inputs for each.

The module of the same name in `adjoint.nn` gets the same arguments, inputs and weights.
"""

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from report import Difference, Report, Share
from torch.testing._internal.common_modules import ModuleErrorEnum, module_db

sys.path.append(str(Path(__file__).parents[1] / "support"))
from closeness import is_close

from adjoint import Value, hvp, nn
from adjoint.errors import AdjointError
from adjoint.nn import functional, functional_call

Arrays = dict[str, np.ndarray]
Found = tuple[str, str]  # the kind of a difference, and what differs
SAMPLE = {"device": "cpu", "dtype": torch.float64, "requires_grad": True}
CONDITION = 32.0  # of derivatives: PyTorch adds 1e-12 to a denominator of BCELoss; those of attention are long chains

REASONS = {
    ("Linear", "unknown keyword"): "one sample calls layer(input=x); the argument of `forward` is called x here",
    ("CTCLoss", "reference"): (
        "PyTorch's gradient assumes that the inputs are results of log_softmax and contains its derivative: it is not "
        "the derivative of the loss that it returns, which central differences show; ours is. Through log_softmax both "
        "give the same gradient"
    ),
}
for _name in ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d"):
    REASONS[_name, "accepted"] = "eps=0 is allowed here: for variances above 0 the formula needs no guard"
for _name in ("RNN", "GRU", "LSTM"):
    REASONS[_name, "unknown keyword"] = (
        "the invalid sample passes device=, which layers do not have here: their arrays are NumPy's, or moved by "
        "their library"
    )
_LAZY = "a lazy layer gets its sizes from its first input; here the sizes are arguments, and the error says so"
_BLOCKS = "adjoint has MultiheadAttention, TransformerEncoderLayer and TransformerBlock, and GPT"
_RANDOM = "the windows of this pool are random; adjoint has MaxPool2d and AdaptiveMaxPool2d"
MISSING = {
    **dict.fromkeys((f"Lazy{kind}{n}d" for kind in ("Conv", "ConvTranspose") for n in (1, 2, 3)), _LAZY),
    **dict.fromkeys(("Transformer", "TransformerEncoder", "TransformerDecoderLayer"), _BLOCKS),
    **dict.fromkeys(("FractionalMaxPool2d", "FractionalMaxPool3d"), _RANDOM),
    "LinearCrossEntropyLoss": "the layer of this loss is new in PyTorch; adjoint has the function linear_cross_entropy",
}


def run() -> Report:
    """Compare every sample of every module that both libraries have, and every invalid one."""
    report = Report(
        "PyTorch's modules",
        f"torch {version('torch')}, torch.testing._internal.common_modules.module_db",
        "the module of the same name in adjoint.nn gets the arguments, the inputs and the weights of each sample, in "
        "training and in evaluation mode, in float64. Its outputs and buffers, the gradients of inputs and parameters, "
        "and the product of the Hessian with a vector agree to three quarters of the digits; where a gradient does "
        "not, central differences of PyTorch's own outputs decide",
    )
    count: Counter[str] = Counter()
    found: dict[str, Counter[Found]] = {}
    warnings.simplefilter("ignore")
    for info in module_db:
        name = info.module_cls.__name__
        if not hasattr(nn, name):
            report.differences.append(Difference(name, "missing", MISSING.get(name, "")))
            continue
        count["modules"] += 1
        differences = list(_samples(info, count))
        count["modules that agree"] += all(x is None or x[0] == "reference" for x in differences)
        found[name] = Counter(filter(None, [*differences, *_invalid_samples(info, count)]))
    for name, differences in found.items():
        for (kind, what), n in sorted(differences.items()):
            title = name if kind == "reference" else f"{name}: {what}"
            report.differences.append(Difference(title, kind, REASONS.get((name, kind), ""), n))
    report.shares += [
        Share("modules, on all samples", count["modules that agree"], count["modules"]),
        Share("samples", count["samples that agree"], count["samples"]),
        Share("invalid samples that are refused with adjoint's errors", count["refused"], count["invalid"]),
    ]
    return report


def _samples(info: Any, count: Counter[str]) -> Iterator[Found | None]:
    """Yield the difference of each sample of a module."""
    for training in (True, False):
        torch.manual_seed(0)
        for sample in info.module_inputs_func(info, training=training, **SAMPLE):
            different = compare(info.module_cls, sample, training)
            count["samples"] += 1
            count["samples that agree"] += different is None or different[0] == "reference"
            yield different


def _invalid_samples(info: Any, count: Counter[str]) -> Iterator[Found | None]:
    """Yield the difference of each invalid sample of a module."""
    torch.manual_seed(0)
    for sample in info.module_error_inputs_func(info, training=True, **SAMPLE) if info.module_error_inputs_func else ():
        different = _judge_invalid(info.module_cls, sample)
        count["invalid"] += 1
        count["refused"] += different is None
        yield different


def compare(kind: type, sample: Any, training: bool) -> Found | None:
    """Compare a sample; return what differs."""
    given, call = sample.constructor_input, sample.forward_input
    theirs = kind(*given.args, **given.kwargs).double().train(training)
    if any(isinstance(part, torch.nn.Dropout) and part.p for part in theirs.modules()):
        theirs.eval()  # its training mode is random
    try:
        ours = _counterpart(kind, given)
        ours.load_state_dict(theirs.state_dict())
        found = our_results(ours.train(theirs.training), call)
    except Exception as error:
        return kind_of(error), f"{type(error).__name__}: {error}"[:150]
    expected, inputs = results_of_pytorch(theirs, call)
    for what, x in expected.items():
        y = found.get(what)
        condition = CONDITION if what.startswith(("gradient", "Hessian")) else 1.0
        if y is None or not is_close(np.asarray(y), x, terms=max(1, x.size), condition=condition):
            if what.startswith("gradient") and _is_theirs_wrong(theirs, call, inputs, expected, found):
                return "reference", what
            return "wrong", what
    return None


def _counterpart(kind: type, given: Any) -> Any:
    args, kwargs = as_ours((given.args, given.kwargs), {})
    return getattr(nn, kind.__name__)(*args, **kwargs)


def _judge_invalid(kind: type, sample: Any) -> Found | None:
    """Return None if adjoint refuses an invalid sample with an error of its own."""
    given, call = sample.module_error_input.constructor_input, sample.module_error_input.forward_input
    try:
        module = _counterpart(kind, given)
        if sample.error_on == ModuleErrorEnum.FORWARD_ERROR:
            args, kwargs = as_ours((call.args, call.kwargs), {})
            module(*args, **kwargs)
    except AdjointError:
        return None
    except Exception as error:
        return kind_of(error), f"{type(error).__name__}: {error}"[:150]
    return "accepted", f"PyTorch's error is {sample.error_regex!r}"[:150]


def kind_of(error: Exception) -> str:
    """Return the kind of difference that an exception is."""
    if (isinstance(error, TypeError) and "unexpected keyword" in str(error)) or "unknown option" in str(error):
        return "unknown keyword"
    return "refused" if isinstance(error, AdjointError) else "raw exception"


def as_ours(x: Any, made: dict[int, Any]) -> Any:
    """Return arguments of PyTorch as those of adjoint; a tensor that occurs twice becomes one Value."""
    if isinstance(x, torch.Tensor):
        array = x.detach().numpy().copy()
        return made.setdefault(id(x), Value(array) if x.requires_grad else array)
    if isinstance(x, (tuple, list)):
        return type(x)(as_ours(part, made) for part in x)
    if isinstance(x, dict):
        return {name: as_ours(part, made) for name, part in x.items()}
    return getattr(functional, x.__name__) if callable(x) else x


# --- results -------------------------------------------------------------------------------------------------


def leaves(x: Any, kind: type = object) -> Iterator[Any]:
    """Yield the leaves of nested lists and dicts that are of a kind, each once."""
    parts = x.values() if isinstance(x, dict) else x if isinstance(x, (tuple, list)) else None
    if parts is not None:
        yield from {id(leaf): leaf for part in parts for leaf in leaves(part, kind)}.values()
    elif x is not None and isinstance(x, kind):
        yield x


def waves(shape: tuple[int, ...], start: int = 1) -> np.ndarray:
    """Return numbers of all signs and sizes, by which elements are weighted."""
    return np.cos(np.arange(start, start + np.prod(shape, dtype=int)) * 1.0).reshape(shape)


def results_of_pytorch(module: Any, call: Any) -> tuple[Arrays, list[Any]]:
    """Return the outputs, buffers and derivatives by name; the inputs and parameters."""
    found = {f"output {i}": y for i, y in enumerate(leaves(module(*call.args, **call.kwargs), torch.Tensor))}
    found |= {f"buffer {name}": x.clone() for name, x in module.named_buffers()}
    given = [x for x in leaves([call.args, call.kwargs], torch.Tensor) if x.requires_grad]
    inputs = {f"input {i}": x for i, x in enumerate(given)} | dict(module.named_parameters())
    loss, points = weighted_sum(module, call), list(inputs.values())
    if isinstance(loss, torch.Tensor) and loss.requires_grad:
        gradients = torch.autograd.grad(loss, points, create_graph=True, allow_unused=True, materialize_grads=True)
        found |= {f"gradient of {name}": g for name, g in zip(inputs, gradients)}
        try:
            slope = sum((g * torch.from_numpy(waves(g.shape, 2))).sum() for g in gradients)
            products = torch.autograd.grad(slope, points, allow_unused=True, materialize_grads=True)
            found |= {f"Hessian, {name}": g for name, g in zip(inputs, products)}
        except RuntimeError:  # no second derivative, or a constant first one
            pass
    return {name: x.numpy(force=True) for name, x in found.items()}, points


def weighted_sum(module: Any, call: Any) -> Any:
    """Return a sum of all elements of the outputs."""
    outputs = leaves(module(*call.args, **call.kwargs), torch.Tensor)
    return sum((y * torch.from_numpy(waves(y.shape))).sum() for y in outputs if y.is_floating_point())


def our_results(module: Any, call: Any) -> Arrays:
    """Return the same for a module of adjoint."""
    args, kwargs = as_ours((call.args, call.kwargs), {})
    outputs = list(leaves(module(*args, **kwargs)))
    found = {f"output {i}": y.data if isinstance(y, Value) else y for i, y in enumerate(outputs)}
    found |= {f"buffer {name}": np.array(getattr(b, "data", b)) for name, b in module.named_buffers()}
    given = list(leaves([args, kwargs], Value))
    inputs = {f"input {i}": x for i, x in enumerate(given)} | dict(module.named_parameters())
    loss = sum((y * waves(y.shape)).sum() for y in outputs if isinstance(y, Value))
    if not isinstance(loss, Value):
        return found
    loss.backward()
    found |= {f"gradient of {name}": x.grad for name, x in inputs.items()}
    names = [name for name, _ in module.named_parameters()]

    def total(*points: Any) -> Any:
        new = dict(zip(map(id, given), points))
        again = functional_call(
            module, dict(zip(names, points[len(given) :])), _replaced(args, new), _replaced(kwargs, new)
        )
        return sum((y * waves(y.shape)).sum() for y in leaves(again, Value))

    points = tuple(x.data for x in inputs.values())
    products = hvp(total, points, tuple(waves(np.shape(x), 2) for x in points))
    return found | {f"Hessian, {name}": np.asarray(x) for name, x in zip(inputs, products)}


def _replaced(x: Any, new: dict[int, Any]) -> Any:
    if isinstance(x, (tuple, list)):
        return type(x)(_replaced(part, new) for part in x)
    return {name: _replaced(part, new) for name, part in x.items()} if isinstance(x, dict) else new.get(id(x), x)


def _is_theirs_wrong(module: Any, call: Any, inputs: list[Any], expected: Arrays, found: Arrays) -> bool:
    """Return whether central differences of PyTorch's outputs confirm our gradients, and not PyTorch's."""
    names = [name for name in expected if name.startswith("gradient")]
    directions = [torch.from_numpy(waves(tuple(x.shape), 3)) for x in inputs]
    values = []
    with torch.no_grad():
        for step in (1e-5, -2e-5, 1e-5):
            for x, v in zip(inputs, directions):
                x.add_(step * v)
            values.append(float(weighted_sum(module, call)))
    slope = (values[0] - values[1]) / 2e-5
    ours, theirs = (
        sum(float(np.sum(part[name] * v.numpy())) for name, v in zip(names, directions)) for part in (found, expected)
    )
    return is_close(ours, slope, digits=1 / 3, condition=10) and not is_close(theirs, slope, digits=1 / 3, condition=10)
