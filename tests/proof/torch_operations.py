"""PyTorch's database of operations, OpInfo: values, gradients, second order and errors of each sample."""

import collections
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from report import Difference, Report, Share
from torch.testing._internal.common_methods_invocations import op_db
from torch_reasons import reason_for
from torch_samples import ARRANGED, Call, as_ours, counterpart, describe, in_words_of, kind_of


@dataclass
class Finding:
    """What a sample of an operation gave that PyTorch does not give."""

    operation: str
    kind: str
    message: str
    sample: str


def operations() -> Iterator[tuple[Any, Callable]]:
    """Yield the entries of the database that have a counterpart, with it."""
    for info in op_db:
        ours = counterpart(info.name)
        if ours is not None and dtype_of(info):
            arranged = ARRANGED.get(title(info)) or ARRANGED.get(info.name)
            ours = arranged(ours) if arranged else ours
            yield info, symmetric(ours) if takes_symmetric(info) else ours


def takes_symmetric(info: Any) -> bool:
    return info.gradcheck_wrapper.__name__ == "gradcheck_wrapper_hermitian_input"


def symmetric(function: Callable) -> Callable:
    """Return a function of a symmetric matrix, of any matrix: of its sum with its transpose, as the database has it."""
    return lambda x, *args, **kwargs: function(x + x.swapaxes(-1, -2), *args, **kwargs)


def dtype_of(info: Any) -> torch.dtype | None:
    """Return float64, or int64 for an operation of integers."""
    return next((dtype for dtype in (torch.float64, torch.int64) if dtype in info.dtypes), None)


def title(info: Any) -> str:
    return f"{info.name} ({info.variant_test_name})" if info.variant_test_name else info.name


def compare(info: Any, ours: Callable) -> tuple[int, list[Finding]]:
    """Return how many samples an operation has, and those that differ."""
    findings: list[Finding] = []
    count = 0
    double = dtype_of(info) or torch.float64
    for dtype in (double, torch.float32):
        if dtype not in info.dtypes:
            continue
        torch.manual_seed(0)
        wants_gradient = dtype.is_floating_point and info.supports_autograd
        for sample in info.sample_inputs("cpu", dtype, requires_grad=wants_gradient):
            second = info.supports_gradgrad and dtype is torch.float64
            count += 1
            try:
                Call(info.name, ours, symmetric(info.op) if takes_symmetric(info) else info.op, sample).compare(second)
            except Exception as error:
                kind, message = kind_of(error), said(error)
                findings.append(Finding(title(info), kind, message, describe(sample)))
    return count, findings


def compare_errors(info: Any, ours: Callable) -> tuple[int, list[Finding]]:
    """Return how many calls PyTorch refuses, and those that adjoint accepts or fails at."""
    findings: list[Finding] = []
    count = 0
    if info.error_inputs_func is None:
        return 0, []
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True, warn_only=True)  # which fills the memory of torch.empty
    items = list(info.error_inputs("cpu"))
    torch.use_deterministic_algorithms(False)
    for item in items:
        sample = item.sample_input
        made: dict[int, Any] = {}
        args, kwargs = in_words_of(info.name, sample.args, sample.kwargs)
        try:
            x, args, kwargs = as_ours(sample.input, made), as_ours(args, made), as_ours(kwargs, made)
        except (TypeError, ValueError):  # a tensor on the device "meta", or of 65 axes, which NumPy does not have
            continue
        count += 1
        try:
            ours(x, *args, **kwargs)
            kind, message = "accepted", f"PyTorch: {item.error_regex}"
        except Exception as error:
            kind, message = kind_of(error), said(error)
        if kind != "refused":
            findings.append(Finding(title(info), kind, message, describe(sample)))
    return count, findings


def said(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def run() -> Report:
    """Compare every operation of the database that has a counterpart."""
    report = Report(
        "PyTorch's operations",
        f"torch {version('torch')}, torch.testing._internal.common_methods_invocations.op_db",
        "every sample of an operation with a function or method of the same name in adjoint, in float64 and in "
        "float32: results, gradients, and in float64 second derivatives, compared by the rule of the tests "
        "(tests/support/closeness.py), three quarters of the digits. Where gradients differ, central "
        "differences of PyTorch's own values decide. Axes are given as dim=, and defaults as words, where a call "
        "without them has NumPy's meaning (docs/from_pytorch.md). Numbers without axes are float64 in adjoint. Results "
        "drawn at random are compared by their shapes. A call that PyTorch refuses must raise one of adjoint's errors",
    )
    findings: list[Finding] = []
    failures: list[Finding] = []
    names, agree, samples, refused = 0, 0, 0, 0
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for info, ours in operations():
                count, found = compare(info, ours)
                names, samples = names + 1, samples + count
                agree += all(finding.kind == "reference" for finding in found)
                findings += found
                count, found = compare_errors(info, ours)
                refused += count
                failures += found
    finally:
        torch.set_default_dtype(default)
    wrong = [finding for finding in findings if finding.kind != "reference"]
    kinds = collections.Counter(finding.kind for finding in wrong + failures)
    calls = samples + refused
    report.shares += [
        Share("operations that agree on all samples", agree, names),
        Share("samples", samples - len(wrong), samples),
        Share("calls that PyTorch refuses, refused with an error of adjoint", refused - len(failures), refused),
        Share("calls without an unknown keyword", calls - kinds["unknown keyword"], calls),
        Share("calls without a raw exception", calls - kinds["raw exception"], calls),
    ]
    report.differences += grouped(findings + failures)
    report.differences += missing()
    return report


def missing() -> list[Difference]:
    """Return the operations without a counterpart: those with a derivative by name."""
    names = {info.name for info in op_db} - {info.name for info, _ in operations()}
    real = {info.name for info in op_db if info.supports_autograd and torch.float64 in info.dtypes}
    named = sorted(name for name in names & real if not name.startswith(("_", "torch.")))
    known = "no function of this name; some have NumPy's, such as movedim (moveaxis) and trapz (trapezoid)"
    rest = (
        "no function of this name: internals, complex numbers, bits, strides, random fills, and others without slopes"
    )
    return [
        Difference("operations with derivatives", "missing", f"{known}: {', '.join(named)}", len(named)),
        Difference("other operations", "missing", rest, len(names) - len(named)),
    ]


def grouped(findings: list[Finding]) -> list[Difference]:
    """Return one difference for each reason; one for each finding without a reason."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        reason = reason_for(finding.operation, finding.kind, finding.message)
        key = (reason, finding.kind) if reason else (f"{finding.operation}({finding.sample}): {finding.message}", "")
        groups.setdefault(key, []).append(finding)
    differences = []
    for (reason, kind), group in groups.items():
        names = list(dict.fromkeys(finding.operation for finding in group))
        what = ", ".join(names[:4]) + (f" and {len(names) - 4} others" if len(names) > 4 else "")
        differences.append(Difference(what if kind else reason, group[0].kind, reason if kind else "", len(group)))
    return differences
