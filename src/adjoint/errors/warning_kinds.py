"""The warnings of adjoint, each for a common mistake. `guard_warnings.py` switches and issues them."""


class AdjointWarning(UserWarning):
    """The base class of all warnings, each for a common mistake. `adjoint.guards` switches them.

    >>> import warnings
    >>> from adjoint import Value, errors
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", errors.AdjointWarning)
    ...     equal = Value(2.0) == 2.0
    Traceback (most recent call last):
        ...
    adjoint.errors.warning_kinds.IdentityComparisonWarning: ... == float 2.0 is always False...
    """


class StaleGradientWarning(AdjointWarning):
    """A step or a backward pass with gradients that an earlier step has used and that were not set to zero since.

    >>> import warnings
    >>> from adjoint import Value, optim
    >>> w = Value(1.0)
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     for _ in range(2):
    ...         (w * w).backward()
    ...         optimizer.step()  # without optimizer.zero_grad()
    >>> [warning.category.__name__ for warning in found]
    ['StaleGradientWarning']
    """


class StaleGraphWarning(AdjointWarning):
    """A backward pass through results that are older than the data they were computed from.

    >>> import warnings
    >>> from adjoint import Value
    >>> w = Value(1.0)
    >>> loss = w * w
    >>> w.data = 0.5
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     loss.backward()  # of a loss at 1.0
    >>> [warning.category.__name__ for warning in found]
    ['StaleGraphWarning']
    """


class SecondBackwardWarning(AdjointWarning):
    """A second backward pass through the same graph, which adds to the gradients of the first one.

    >>> import warnings
    >>> from adjoint import Value, guards
    >>> w = Value(1.0)
    >>> loss = w * w
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     with guards(second_backward=True):
    ...         loss.backward()
    ...         loss.backward()
    >>> [warning.category.__name__ for warning in found]
    ['SecondBackwardWarning']
    """


class OverwrittenGradientWarning(AdjointWarning):
    """A `_backward` written by hand that assigns the gradient of a parent instead of adding to it.

    >>> import warnings
    >>> from adjoint import Value
    >>> a = Value(2.0)
    >>> out = Value(4.0, (a,))
    >>> def _backward():
    ...     a.grad = 2 * out.grad  # instead of +=
    >>> out._backward = _backward
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     (out + a).backward()
    >>> [warning.category.__name__ for warning in found]
    ['OverwrittenGradientWarning']
    """


class MissingBackwardWarning(AdjointWarning):
    """The first steps of an optimizer all use the same gradients, which nothing has computed again.

    >>> import warnings
    >>> from adjoint import Value, optim
    >>> w = Value([1.0])
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>> (w * w).sum().backward()  # should be inside the loop
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     for _ in range(3):
    ...         optimizer.step()
    >>> [warning.category.__name__ for warning in found]
    ['MissingBackwardWarning']
    """


class MissingHistoryWarning(AdjointWarning):
    """A backward pass from a Value that was made from a number, so that it reaches no other Value.

    >>> import warnings
    >>> from adjoint import Value
    >>> w = Value(1.0)
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     Value(w.data * 2).backward()  # instead of (w * 2).backward()
    >>> [warning.category.__name__ for warning in found]
    ['MissingHistoryWarning']
    """


class MissingGradientWarning(AdjointWarning):
    """A parameter of an optimizer that no gradient ever reaches.

    >>> import warnings
    >>> from adjoint import Value, optim
    >>> used, unused = Value([1.0]), Value([1.0])
    >>> optimizer = optim.SGD([used, unused], lr=0.1)
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     for _ in range(10):
    ...         optimizer.zero_grad()
    ...         (used * used).sum().backward()
    ...         optimizer.step()
    >>> [warning.category.__name__ for warning in found]
    ['MissingGradientWarning']
    """


class MissingParameterWarning(AdjointWarning):
    """A parameter of a model that the optimizer does not have, so training does not change it.

    >>> import warnings
    >>> from adjoint import data, fit, nn, optim
    >>> model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    >>> optimizer = optim.SGD(model[2].parameters(), lr=0.1)
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     history = fit(model, data.xor(), loss="mse", optimizer=optimizer, epochs=1, progress=False)
    >>> [warning.category.__name__ for warning in found]
    ['MissingParameterWarning']
    """


class LostUpdateWarning(AdjointWarning):
    """An update such as `p -= lr * p.grad`, which makes a new Value and does not change the parameter.

    The same for `p = p - lr * p.grad` in a loop.

    >>> import warnings
    >>> from adjoint import Value
    >>> p = Value(1.0)
    >>> (p * p).backward()
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     p -= 0.1 * p.grad  # instead of p.data -= 0.1 * p.grad
    >>> [warning.category.__name__ for warning in found]
    ['LostUpdateWarning']
    """


class IdentityComparisonWarning(AdjointWarning):
    """A Value of one number compared with a plain number by `==`, which compares identity and is always False.

    >>> import warnings
    >>> from adjoint import Value
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     equal = Value(2.0) == 2.0
    >>> [warning.category.__name__ for warning in found]
    ['IdentityComparisonWarning']
    """


class RecompilationWarning(AdjointWarning):
    """A function that `jit` compiles again and again for the same shapes, because something else changes.

    >>> import warnings
    >>> import numpy as np
    >>> import adjoint
    >>> names = []
    >>> f = adjoint.jit(lambda x: x * len(names))
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     for name in ["a", "b", "c"]:
    ...         names.append(name)
    ...         y = f(np.ones(2))
    >>> [warning.category.__name__ for warning in found]
    ['RecompilationWarning']
    """


class RandomNumbersWarning(AdjointWarning):
    """A compiled function drew random numbers while it was recorded: every call computes with the same ones.

    >>> import warnings
    >>> import random
    >>> import adjoint
    >>> noisy = adjoint.jit(lambda x: x + random.random())
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     y = noisy(adjoint.Value(0.0))
    >>> [warning.category.__name__ for warning in found]
    ['RandomNumbersWarning']
    """


class CompiledResultWarning(AdjointWarning):
    """A compiled training step of `fit(jit=True)` computed something else than the same step without jit.

    >>> import warnings
    >>> import adjoint
    >>> from adjoint import data, fit, nn
    >>> class Layer(nn.Linear):
    ...     def forward(self, x):
    ...         return super().forward(x) * (2.0 if type(x).__module__ == "numpy" else 3.0)
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     history = fit(Layer(2, 1), data.xor(), loss="mse", epochs=1, jit=True, progress=False)
    >>> [warning.category.__name__ for warning in found]
    ['CompiledResultWarning']
    """


class NotFiniteLossWarning(AdjointWarning):
    """A loss that became NaN or infinite, which ends training.

    >>> import warnings
    >>> from adjoint import data, fit, nn
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     history = fit(nn.Linear(2, 1), data.xor(), loss="mse", optimizer="sgd", lr=1e200, progress=False)
    >>> [warning.category.__name__ for warning in found]
    ['NotFiniteLossWarning']
    """


class DivergingLossWarning(AdjointWarning):
    """A loss that is a thousand times that of the first epoch, which ends training.

    >>> import warnings
    >>> from adjoint import data, fit, nn
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     history = fit(nn.Linear(2, 1), data.xor(), loss="mse", optimizer="sgd", lr=1e4, progress=False)
    >>> [warning.category.__name__ for warning in found], history.stopped
    (['DivergingLossWarning'], 'diverged')
    """


class InputScaleWarning(AdjointWarning):
    """Inputs or targets so large that training fails.

    >>> import warnings
    >>> import numpy as np
    >>> from adjoint import fit, nn
    >>> X = np.random.default_rng(0).normal(size=(64, 2))
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     history = fit(nn.Linear(2, 1), (1e6 * X, X[:, :1]), loss="mse", epochs=1, progress=False)
    >>> [warning.category.__name__ for warning in found]
    ['InputScaleWarning']
    """


class HiddenLayersWarning(AdjointWarning):
    """A model with layers that `parameters()` cannot find, because they are in a generator or belong to the class.

    >>> import warnings
    >>> from adjoint import nn
    >>> class Net(nn.Module):
    ...     def __init__(self):
    ...         self.layers = (nn.Linear(2, 2) for _ in range(3))
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     parameters = Net().parameters()
    >>> [warning.category.__name__ for warning in found]
    ['HiddenLayersWarning']
    """


class ProbabilitiesAsScoresWarning(AdjointWarning):
    """Probabilities, such as the result of a softmax, in place of the scores that `cross_entropy` needs.

    >>> import warnings
    >>> from adjoint import Value, nn
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     loss = nn.cross_entropy(Value([[2.0, 0.0]]).softmax(1), [0])
    >>> [warning.category.__name__ for warning in found]
    ['ProbabilitiesAsScoresWarning']
    """


class PrecisionWarning(AdjointWarning):
    """Products of NumPy arrays under a precision that NumPy does not have: they are computed in their own dtype.

    >>> import warnings
    >>> import numpy as np
    >>> from adjoint import Value, precision
    >>> w = Value(np.ones((2, 2), np.float32))
    >>> with warnings.catch_warnings(record=True) as found, precision("bfloat16"):
    ...     warnings.simplefilter("always")
    ...     y = w @ w
    >>> [warning.category.__name__ for warning in found], y.dtype
    (['PrecisionWarning'], dtype('float32'))
    """


class AttentionFallbackWarning(AdjointWarning):
    """Attention on a GPU that cuDNN could compute if an argument were different, and that is slower without it.

    >>> from adjoint import errors
    >>> issubclass(errors.AttentionFallbackWarning, errors.AdjointWarning)
    True
    """
