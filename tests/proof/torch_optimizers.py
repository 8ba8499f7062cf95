"""PyTorch's database of optimizers, `optim_db`: with sample options for each, and with invalid ones.

The optimizer of the same name in `adjoint.optim` gets the same options, parameters and gradients for several steps.
"""

import sys
import warnings
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from report import Difference, Report, Share
from torch.testing._internal.common_optimizers import OptimizerErrorEnum, optim_db

sys.path.append(str(Path(__file__).parents[1] / "support"))
from closeness import is_close
from torch_modules import as_ours, kind_of

from adjoint import Value, optim
from adjoint.errors import AdjointError

STEPS = 20
SHAPES = (3, 2), (2, 5), (4, 3)  # of the parameters; Muon takes matrices alone

_TENSORS = "options are numbers here, and both of the pair become numbers; PyTorch takes two tensors or none"
REASONS = {("Adam", "accepted"): _TENSORS, ("AdamW", "accepted"): _TENSORS}
MISSING = {
    "Adafactor": "not offered; Adam and AdamW keep the whole second moment",
    "ASGD": "not offered; optim.EMA averages the parameters of any optimizer",
    "SparseAdam": "gradients are dense arrays here",
}


def run() -> Report:
    """Compare every sample of every optimizer that both libraries have, and every invalid one."""
    report = Report(
        "PyTorch's optimizers",
        f"torch {version('torch')}, torch.testing._internal.common_optimizers.optim_db",
        f"the optimizer of the same name in adjoint.optim gets the options of each sample. After {STEPS} steps with "
        "the same gradients, or of the same loss for LBFGS, the parameters agree to three quarters of the digits of "
        "float64. Muon's bfloat16 is replaced by float64 in PyTorch",
    )
    count: Counter[str] = Counter()
    warnings.simplefilter("ignore")
    torch.set_default_dtype(torch.float64)  # of the numbers that PyTorch keeps beside the arrays
    for info in optim_db:
        name = info.optim_cls.__name__
        if not hasattr(optim, name):
            report.differences.append(Difference(name, "missing", MISSING.get(name, "")))
            continue
        found = [compare(info.optim_cls, sample.kwargs) for sample in info.optim_inputs_func(device="cpu")]
        invalid = info.optim_error_inputs_func(device="cpu", dtype=torch.float64)
        refused = [_judge_invalid(name, sample) for sample in invalid]
        count["optimizers"] += 1
        count["optimizers that agree"] += not any(found)
        count.update({"samples": len(found), "samples that agree": found.count(None)})
        count.update({"invalid": len(refused), "refused": refused.count(None)})
        for (kind, what), n in sorted(Counter(filter(None, [*found, *refused])).items()):
            report.differences.append(Difference(f"{name}: {what}", kind, REASONS.get((name, kind), ""), n))
    report.shares += [
        Share("optimizers, on all samples", count["optimizers that agree"], count["optimizers"]),
        Share("samples", count["samples that agree"], count["samples"]),
        Share("invalid samples that are refused with adjoint's errors", count["refused"], count["invalid"]),
    ]
    return report


def compare(kind: type, options: dict[str, Any]) -> tuple[str, str] | None:
    """Compare the parameters after several steps; return the kind of a difference, and what differs."""
    rng = np.random.default_rng(0)
    starts = [rng.normal(size=shape) for shape in SHAPES]
    theirs = [torch.tensor(x, requires_grad=True) for x in starts]
    ours = [Value(x) for x in starts]
    try:
        optimizer = getattr(optim, kind.__name__)(ours, **as_ours(options, {}))
        _take_steps(optimizer, ours)
    except Exception as error:
        return kind_of(error), f"{type(error).__name__}: {error}"[:150]
    with patch.object(torch.Tensor, "bfloat16", torch.Tensor.clone):
        _take_steps(kind(theirs, **options), theirs)
    agree = all(is_close(p.data, q.detach().numpy(), terms=STEPS) for p, q in zip(ours, theirs))
    return None if agree else ("wrong", f"parameters after {STEPS} steps with {options}")


def _take_steps(optimizer: Any, parameters: list[Any]) -> None:
    """Take steps with random gradients; LBFGS those of a loss."""
    if type(optimizer).__name__ == "LBFGS":

        def closure() -> Any:
            optimizer.zero_grad()
            loss = sum(((p * p - 1.0) ** 2).sum() for p in parameters)
            loss.backward()
            return loss

        for _ in range(STEPS // 4):
            optimizer.step(closure)
        return
    rng = np.random.default_rng(1)
    for _ in range(STEPS):
        for p in parameters:
            g = rng.normal(size=tuple(p.shape))
            p.grad = torch.from_numpy(g) if isinstance(p, torch.Tensor) else g
        optimizer.step()


def _judge_invalid(name: str, sample: Any) -> tuple[str, str] | None:
    """Return None if adjoint refuses an invalid sample with an error of its own."""
    given = sample.optimizer_error_input
    try:
        parameters = [Value(np.ones((2, 2)))] if given.params is None else as_ours(given.params, {})
        optimizer = getattr(optim, name)(parameters, **as_ours(given.kwargs, {}))
        if sample.error_on == OptimizerErrorEnum.STEP_ERROR:
            optimizer.step()
    except AdjointError:
        return None
    except Exception as error:
        return kind_of(error), f"{type(error).__name__}: {error}"[:150]
    return "accepted", f"PyTorch's error is {sample.error_regex!r}"[:150]
