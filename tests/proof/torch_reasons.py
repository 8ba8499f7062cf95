"""Why operations of adjoint differ from PyTorch's: one line for each kind of difference that stays."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """A reason, and the findings that it explains: by the operation, what it is, and words of its message."""

    operations: str
    kinds: str
    words: str
    text: str

    def explains(self, operation: str, kind: str, message: str) -> bool:
        return bool(
            re.fullmatch(self.operations, operation)
            and re.fullmatch(self.kinds, kind)
            and re.search(self.words, message)
        )


NUMPY = "positional arguments and defaults have NumPy's meaning"
REASONS = [
    Reason("(nan)?median", "wrong", "the number is", f"{NUMPY}: the mean of the middle two; dim= gives PyTorch's"),
    Reason("repeat", "wrong|refused", "", f"{NUMPY}: repeat repeats elements; tile repeats the array"),
    Reason("transpose", "refused", "keeps its axes in NumPy", "two meanings for a matrix; the error names both"),
    Reason("(max|min) .binary.", "refused", "", f"{NUMPY}: the second argument is an axis; the error names maximum"),
    Reason("atleast_[123]d", "refused", "equal shape", f"{NUMPY}: a list is one array"),
    Reason(
        "linalg.solve", "wrong|refused", "must have|the shape is",
        "b is a vector if it has one axis, as in NumPy 2; PyTorch decides by the shapes, which can be ambiguous",
    ),
    Reason("linalg.svd", "refused", "full_matrices", "the extra columns of full matrices have no derivative"),
    Reason("(nan)?quantile", "refused", "q has no gradient", "the levels of quantiles are plain numbers"),
    Reason("nn.functional.one_hot", "wrong", "dtype", "the rows are floats, as products need them; or dtype="),
    Reason(
        "nn.functional.gaussian_nll_loss", "refused", "same shape",
        "targets are not broadcast to predictions, since that hides mistakes",
    ),
    Reason(
        "nn.functional.multi(label)?_margin_loss", "refused", "",
        "scores need the shape (samples, classes) or (classes,), and labels the same without the class axis",
    ),
    Reason("nn.functional.batch_norm", "refused", "channels", "an input needs at least two axes: samples and channels"),
    Reason(
        "linalg.norm .*", "wrong", "second derivative.*not nan",
        "at 0, where the gradient is a choice, PyTorch's second derivative is NaN, and adjoint's 0",
    ),
    # --- errors of the reference ---
    Reason(
        "nn.functional.max_unpool.*", "reference", "",
        "two elements are written to one place: only one is in the result, and PyTorch gives both a gradient",
    ),
    Reason(
        "nn.functional.ctc_loss", "reference", "",
        "PyTorch's gradient is that of a log_softmax before the loss, and not of its input",
    ),
    Reason("logcumsumexp", "reference", "", "PyTorch's gradient in float32 has lost half of its digits"),
    Reason("nn.functional.layer_norm", "reference", "", "of one normalized number the gradient is 0; PyTorch's is not"),
    Reason("nn.functional.hardsigmoid", "reference", "", "PyTorch's slope is 1/6 in float32, also for float64"),
    # --- calls that PyTorch refuses ---
    Reason(".*", "unknown keyword", "'out'", "results are not written into other arrays: there is no out="),
    Reason(".*", "accepted", "^PyTorch: $", "Python numbers are accepted in place of arrays"),
    Reason(
        "arange|linspace.*|logspace.*|masked_fill|trace|roll", "accepted", "",
        "as in NumPy's functions: empty ranges, arrays of ends, stacks of matrices, several shifts of an axis",
    ),
    Reason("linalg.cross", "accepted", "", "vectors of two elements, as numpy.cross takes them; stacks are broadcast"),
    Reason("nn.functional.max_pool.*", "accepted", "", "the pool of an empty array is empty"),
    Reason("neg", "accepted", "bool tensor", "truth values count as 0 and 1 in each elementwise operation"),
    Reason(
        "nn.functional.conv.*|scatter|scatter_add|multinomial|mean", "accepted", "",
        "dtypes are mixed as in NumPy, and integers become floats",
    ),
    Reason(
        "nn.functional.(triplet_margin_loss|softshrink|linear_cross_entropy.*)", "accepted", "",
        "a number for which the definition still holds",
    ),
]  # fmt: skip


def reason_for(operation: str, kind: str, message: str) -> str:
    """Return the reason for a finding; nothing if there is none, which is an error."""
    return next((reason.text for reason in REASONS if reason.explains(operation, kind, message)), "")
