"""`linear_cross_entropy`, the last layer and the loss in tiles of rows; and what cross-entropy keeps under JAX."""

import itertools

import numpy as np
import pytest
from closeness import require_close
from outside_scripts import output_of, run_outside

from adjoint import Value, check_gradients, errors, grad, jit, jvp, no_grad, precision
from adjoint.arrays.backends.base import TILE_SIZES
from adjoint.nn import functional as F

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")

ROWS, FEATURES, CLASSES = (2, 7), 5, 6
RNG = np.random.default_rng(0)
X, W, B = RNG.normal(size=(*ROWS, FEATURES)), RNG.normal(size=(CLASSES, FEATURES)), RNG.normal(size=CLASSES)
LABELS = RNG.integers(0, CLASSES, ROWS)
WITH_IGNORED = np.where(LABELS % 3 == 0, -100, LABELS)


def tiles_of(rows, monkeypatch):
    for device in ("cpu", "gpu"):
        monkeypatch.setitem(TILE_SIZES, device, CLASSES * rows)


def of_pytorch(x, w, labels, b, reduction, **options):
    xs = [torch.tensor(z, requires_grad=True) for z in (x, w, *([] if b is None else [b]))]
    scores = torch.nn.functional.linear(*xs).reshape(-1, CLASSES)
    found = torch.nn.functional.cross_entropy(scores, torch.tensor(labels).reshape(-1), reduction=reduction, **options)
    (found**2).sum().backward()
    return [found.detach().numpy().reshape(ROWS if reduction == "none" else ()), *[z.grad.numpy() for z in xs]]


def of_adjoint(x, w, labels, b, reduction, **options):
    xs = [Value(z) for z in (x, w, *([] if b is None else [b]))]
    found = F.linear_cross_entropy(xs[0], xs[1], labels, *xs[2:], reduction=reduction, **options)
    (found**2).sum().backward()
    return [found.data, *[z.grad for z in xs]]


CASES = [
    (labels, b, reduction, smoothing)
    for (labels, b, smoothing), reduction in itertools.product(
        [(LABELS, B, 0.0), (WITH_IGNORED, None, 0.0), (WITH_IGNORED, B, 0.3)], ["mean", "sum", "none"]
    )
]


def compare(found, case):
    labels, b, reduction, smoothing = case
    expected = of_pytorch(X, W, labels, b, reduction, label_smoothing=smoothing)
    for a, e in zip(found, expected, strict=True):
        require_close(a, e)


@pytest.mark.parametrize("rows", [1, 3, 5, 14])
def test_values_and_gradients_are_those_of_pytorch_on_numpy(rows, monkeypatch):
    tiles_of(rows, monkeypatch)
    for case in CASES:
        labels, b, reduction, smoothing = case
        compare(of_adjoint(X, W, labels, b, reduction, label_smoothing=smoothing), case)


@pytest.mark.parametrize(
    ("rows", "cases"), [(5, CASES[-3:-2]), *[pytest.param(n, CASES, marks=pytest.mark.full) for n in (1, 3, 5, 14)]]
)
def test_values_and_gradients_are_those_of_pytorch_in_a_compiled_function(rows, cases, monkeypatch):
    tiles_of(rows, monkeypatch)

    @jit
    def run(labels):
        return [
            of_adjoint(X, W, given, b, reduction, label_smoothing=smoothing)
            for given, (_, b, reduction, smoothing) in zip(labels, cases)
        ]

    for found, case in zip(run([case[0] for case in cases]), cases, strict=True):
        compare(found, case)


def test_derivatives_of_second_order_are_those_of_pytorch(monkeypatch):
    tiles_of(3, monkeypatch)
    labels = WITH_IGNORED

    def squared_gradient(w):
        return (grad(lambda w: F.linear_cross_entropy(X, w, labels))(w) ** 2).sum()

    their = torch.tensor(W, requires_grad=True)
    scores = torch.nn.functional.linear(torch.tensor(X), their).reshape(-1, CLASSES)
    loss = torch.nn.functional.cross_entropy(scores, torch.tensor(labels).reshape(-1))
    (first,) = torch.autograd.grad(loss, their, create_graph=True)
    (second,) = torch.autograd.grad((first**2).sum(), their)
    require_close(grad(squared_gradient)(W), second)
    _, along = jvp(lambda w: F.linear_cross_entropy(X, w, labels), (W,), (W,))
    require_close(along, (first * their).sum().item())


@pytest.mark.full
def test_derivatives_of_both_orders_agree_with_central_differences(monkeypatch):
    tiles_of(3, monkeypatch)
    for reduction in ("mean", "none"):
        check_gradients(
            lambda x, w, b, reduction=reduction: F.linear_cross_entropy(
                x, w, WITH_IGNORED, b, label_smoothing=0.2, reduction=reduction
            ).sum(),
            X, W, B, order=2,
        )  # fmt: skip


@pytest.mark.parametrize("rows", [3, 14])
def test_ignored_rows_alone_have_the_mean_nan_and_no_gradients(rows, monkeypatch):
    tiles_of(rows, monkeypatch)
    given = Value(X), Value(W)
    loss = F.linear_cross_entropy(*given, np.full(ROWS, -100))
    loss.backward()
    assert np.isnan(loss.item())
    assert not given[0].grad.any()
    assert not given[1].grad.any()


@pytest.mark.parametrize("rows", [3, 14])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_the_loss_has_the_dtype_of_the_inputs(reduction, rows, monkeypatch):
    tiles_of(rows, monkeypatch)
    x, w = X.astype("float32"), W.astype("float32")
    for given in ((x, w), (Value(x), Value(w)), (Value(jax.numpy.asarray(x)), Value(jax.numpy.asarray(w)))):
        assert str(F.linear_cross_entropy(*given, WITH_IGNORED, reduction=reduction).dtype) == "float32"


@pytest.mark.parametrize("rows", [3, 14])
def test_the_loss_does_not_depend_on_an_ignored_row(rows, monkeypatch):
    tiles_of(rows, monkeypatch)
    x = X.copy()
    x[WITH_IGNORED == -100] = np.nan
    expected = F.linear_cross_entropy(X, W, WITH_IGNORED, B)
    require_close(F.linear_cross_entropy(x, W, WITH_IGNORED, B), expected)


@pytest.mark.full
def test_a_gradient_enters_a_compiled_function_from_outside(monkeypatch):
    tiles_of(3, monkeypatch)
    found = grad(jit(lambda w: F.linear_cross_entropy(X, w, LABELS) ** 2))(W)
    require_close(found, of_pytorch(X, W, LABELS, None, "mean")[2])


def test_without_recording_the_loss_is_the_same(monkeypatch):
    expected = F.linear_cross_entropy(Value(X), W, LABELS, B).item()
    tiles_of(3, monkeypatch)
    with no_grad():
        require_close(F.linear_cross_entropy(Value(X), W, LABELS, B).item(), expected)
    require_close(F.linear_cross_entropy(X, W, LABELS, B), expected)


ROW_COUNT, VOCABULARY = 512, 2048


def memory(function, *arrays):
    """Return the temporary memory of a compiled step, as a share of all scores in float32."""

    def step(*arrays):
        given = [Value(x) for x in arrays]
        function(*given).backward()
        return [x.grad for x in given]

    used = jax.jit(step).lower(*arrays).compile().memory_analysis().temp_size_in_bytes
    return used / (4 * ROW_COUNT * VOCABULARY)


def test_the_scores_of_all_rows_are_never_in_memory_at_once(monkeypatch):
    labels = jax.numpy.arange(ROW_COUNT)
    given = [jax.numpy.ones((n, 8), "float32") for n in (ROW_COUNT, VOCABULARY)]
    plain = memory(lambda x, w: F.cross_entropy(x @ w.mT, labels), *given)
    monkeypatch.setitem(TILE_SIZES, "cpu", ROW_COUNT * VOCABULARY // 16)
    tiled = memory(lambda x, w: F.linear_cross_entropy(x, w, labels), *given)
    assert plain > 0.9
    assert tiled < 0.3


@pytest.mark.full
def test_in_half_precision_tiles_are_summed_in_float32_and_gradients_have_the_dtype_of_the_parameter(
    monkeypatch,
):
    tiles_of(3, monkeypatch)
    x, w = (jax.numpy.asarray(z, "float32") for z in (X, W))
    with precision("bfloat16"):
        given = [Value(x), Value(w)]
        loss = F.linear_cross_entropy(*given, LABELS)
        loss.backward()
    assert str(loss.dtype) == str(given[0].grad.dtype) == str(given[1].grad.dtype) == "float32"
    rounded = [np.asarray(z.astype("bfloat16").astype("float32")) for z in (x, w)]
    theirs = [torch.tensor(z, requires_grad=True) for z in rounded]
    scores = torch.nn.functional.linear(*theirs).reshape(-1, CLASSES)
    torch.nn.functional.cross_entropy(scores, torch.tensor(LABELS).reshape(-1)).backward()
    for z, their in zip(given, theirs):
        require_close(z.grad, their.grad, dtype="bfloat16")  # the precision of the scores
    assert (np.asarray(given[1].grad.astype("bfloat16").astype("float32")) != given[1].grad).any()  # more digits


@pytest.mark.full
def test_cross_entropy_of_half_precision_keeps_no_copy_in_float32():
    scores = Value(jax.numpy.asarray(np.random.default_rng(0).normal(size=(48, 80)), "bfloat16"))
    loss = F.cross_entropy(scores, np.arange(48))
    kept = [x for x in jax.live_arrays() if x.shape == (48, 80)]
    loss.backward()
    assert {str(x.dtype) for x in kept} == {"bfloat16"}
    assert str(loss.dtype) == "float32"
    assert str(scores.grad.dtype) == "bfloat16"
    their = torch.tensor(np.asarray(scores.data.astype("float32")), requires_grad=True)
    expected = torch.nn.functional.cross_entropy(their, torch.arange(48))
    expected.backward()
    require_close(loss, expected)
    require_close(scores.grad, their.grad, dtype=scores.dtype.name)


CHANCES = np.random.default_rng(3).dirichlet(np.ones(CLASSES), 7)
GRID = np.random.default_rng(4).normal(size=(CLASSES, 3, W.shape[1]))


@pytest.mark.parametrize(
    ("weight", "target", "words"),
    [
        (W, LABELS[0], {"weight": np.linspace(0.5, 2.0, CLASSES)}),
        (W, WITH_IGNORED[0], {"weight": np.linspace(0.5, 2.0, CLASSES), "linear_bias": B, "label_smoothing": 0.2}),
        (W, CHANCES, {"linear_bias": B, "reduction": "none"}),
        (GRID, np.stack([LABELS[0], LABELS[1], LABELS[0]], 1), {"reduction": "sum"}),
    ],
    ids=["class weights", "class weights and a bias", "probabilities", "several labels"],
)
def test_weights_probabilities_and_several_labels_are_those_of_pytorch(weight, target, words):
    ours = [Value(X[0]), Value(weight), *(Value(x) for x in words.values() if isinstance(x, np.ndarray))]
    given = iter(ours[2:])
    arguments = {name: next(given) if isinstance(x, np.ndarray) else x for name, x in words.items()}
    found = F.linear_cross_entropy(ours[0], ours[1], target, options=None, **arguments)
    (found**2).sum().backward()
    theirs = [torch.tensor(x.data, requires_grad=True) for x in ours]
    given = iter(theirs[2:])
    arguments = {name: next(given) if isinstance(x, np.ndarray) else x for name, x in words.items()}
    scores = torch.tensordot(theirs[0], theirs[1], ([-1], [-1])) + arguments.pop("linear_bias", 0.0)
    arguments |= {"weight": arguments["weight"].detach()} if "weight" in arguments else {}  # PyTorch has no gradient
    expected = torch.nn.functional.cross_entropy(scores, torch.tensor(target), **arguments)
    (expected**2).sum().backward()
    require_close(found, expected)
    for x, z in zip(ours, theirs):
        if z.grad is not None:
            require_close(x.grad, z.grad)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((X, W[:, 1:], LABELS), errors.ShapeError, "inputs of shape (2, 7, 5) do not fit a weight of shape (6, 4)"),
        ((X, W, LABELS[:1]), errors.ShapeError, "need labels of shape (2, 7), not (1, 7)"),
        ((X, W, LABELS + 6), errors.ArrayIndexError, "is out of range: there are 6 classes"),
        ((X, W, LABELS, B[1:]), errors.ShapeError, "needs a bias of shape (6,), not (5,)"),
        ((X, GRID, LABELS), errors.ShapeError, "do not fit a weight of shape (6, 3, 5)"),
        ((X, W, np.stack([CHANCES, CHANCES])), errors.ShapeError, "inputs have one or two axes, not (2, 7, 5)"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments, error, message, monkeypatch):
    for rows in (100, 3):
        tiles_of(rows, monkeypatch)
        with pytest.raises(error) as caught:
            F.linear_cross_entropy(*arguments)
        assert message in str(caught.value)


def test_probabilities_have_no_label_to_ignore():
    with pytest.raises(errors.ArgumentError, match="ignore_index is a label"):
        F.linear_cross_entropy(X[0], W, CHANCES, ignore_index=0)


@pytest.mark.full
def test_eight_devices_exchange_the_gradient_once():
    output = output_of(run_outside("tiles.py", XLA_FLAGS="--xla_force_host_platform_device_count=8"))
    assert "the same on 8 devices, with one exchange" in output
