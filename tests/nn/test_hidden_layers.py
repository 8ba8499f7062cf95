"""Layers that `parameters()` cannot find, and attributes that hide it: what is said, and what is left alone."""

from types import MappingProxyType

import numpy as np
import pytest

from adjoint import Value, fit, guards, nn, optim
from adjoint.errors import ArgumentError, HiddenLayersWarning

Layer = nn.Linear
X = np.random.default_rng(0).normal(size=(8, 2))


def model_with(**attributes):
    """Return a new object of a new class: a class is examined once."""

    class Net(nn.Module):
        def __init__(self):
            for name, make in attributes.items():
                setattr(self, name, make())

        def forward(self, x):
            return x

    return Net()


@pytest.mark.parametrize("make", [lambda: (nn.Linear(2, 2) for _ in range(3)), lambda: (Layer(2, 2) for _ in "ab")])
def test_a_generator_of_layers_warns_once(make):
    model = model_with(first=lambda: nn.Linear(2, 2), layers=make)
    with pytest.warns(HiddenLayersWarning, match=r"Net.layers is a generator .* make a list of it") as seen:
        parameters = model.parameters()
    assert len(parameters) == 2
    assert seen[0].filename == __file__
    assert "adjoint.guards(hidden_layers=False)" in str(seen[0].message)
    assert model.parameters() == parameters  # without another warning


@pytest.mark.parametrize(
    "layers", [nn.Linear(2, 2), [nn.Linear(2, 2)], {"a": nn.Linear(2, 2)}, Value([1.0]), nn.Sequential(nn.Linear(2, 2))]
)
def test_layers_of_the_class_warn(layers):
    class Net(nn.Module):
        hidden = layers

    class Deep(Net):
        def __init__(self):
            self.out = nn.Linear(2, 2)

    for kind in (Net, Deep):
        with pytest.warns(HiddenLayersWarning, match=rf"{kind.__name__}.hidden is an attribute of the class"):
            nn.Sequential(kind()).parameters()


@pytest.mark.parametrize("kind", [set, frozenset])
def test_a_set_of_layers_warns(kind):
    model = model_with(first=lambda: nn.Linear(2, 2), layers=lambda: kind([nn.Linear(2, 2)]))
    with pytest.warns(HiddenLayersWarning, match=r"Net\.layers is a set of layers, .* make a list of it"):
        assert len(model.parameters()) == 2


def test_fit_says_why_there_are_no_parameters():
    model = model_with(layers=lambda: (nn.Linear(2, 2) for _ in range(3)))
    with guards(hidden_layers=False), pytest.raises(ArgumentError, match=r"Net\.layers is a generator of layers"):
        fit(model, X, X, loss="mse")


def test_other_attributes_give_no_warning():
    class Net(nn.Module):
        activation = nn.ReLU()  # without parameters
        scale = Value([2.0], requires_grad=False)
        names = frozenset(["a", "b"])
        sizes = MappingProxyType({"in": 2})
        width = 3
        out = nn.Linear(2, 2)  # a default, which each object replaces

        def __init__(self):
            self.stream = (i * i for i in range(3))
            self.seen, self.kinds = {1, 2}, frozenset([nn.ReLU])
            self.layers = [nn.Linear(2, 2) for _ in range(3)]
            self.out = nn.Linear(2, 2)

    assert len(Net().parameters()) == 8


# --- attributes and classes in the place of methods and objects ---


class Hides(nn.Module):
    def __init__(self, layer):
        self.parameters = layer

    def forward(self, x):
        return x


@pytest.mark.parametrize("layer", [nn.Linear(2, 1), [Value(1.0)]])
@pytest.mark.parametrize(
    "use", [lambda model: optim.SGD(model, lr=0.1), lambda model: fit(model, X, X, loss="mse")], ids=["optim", "fit"]
)
def test_a_layer_called_parameters_is_named(layer, use):
    with pytest.raises(ArgumentError, match=r"Hides has an attribute `parameters`, which hides the method"):
        use(Hides(layer))


def test_a_layer_that_is_called_like_the_method_it_hides_is_named():
    with pytest.raises(
        ArgumentError, match=r"Linear\(2, 1\) was called without an input: .* an attribute called `param"
    ):
        optim.SGD(Hides(nn.Linear(2, 1)).parameters(), lr=0.1)


def test_other_type_errors_of_forward_come_out_as_they_are():
    class Net(nn.Module):
        def forward(self, *inputs):
            return len(3)

    class Fixed(nn.Module):
        def forward(self, x=1):
            return len(x)

    for model in (Net(), Fixed()):
        with pytest.raises(TypeError, match="has no len"):
            model()
    with pytest.raises(TypeError, match="has no len"):
        Fixed()(3)


@pytest.mark.parametrize("use", [lambda kind: fit(kind, X, X, loss="mse"), lambda kind: optim.SGD(kind, lr=0.1)])
def test_a_class_in_place_of_an_object_is_named(use):
    with pytest.raises(ArgumentError, match=r"got the class MLP; create an object of it: MLP\(…\)"):
        use(nn.MLP)


def test_labels_of_text_are_refused_with_what_numbers_them():
    for labels in (["a", "b"] * 4, np.array(["a", "b"] * 4), np.array(["a", "b"] * 4, dtype=object)):
        with pytest.raises(
            ArgumentError, match=r"number the labels: classes, y = numpy.unique\(labels, return_inverse"
        ):
            fit(nn.Linear(2, 2), X, labels, loss="cross_entropy")
        for scores in (X, Value(X), [[Value(0.0), Value(1.0)]] * 8):
            with pytest.raises(ArgumentError, match=r"not .*'a'.*; number them first: names, numbers = numpy\.unique"):
                nn.cross_entropy(scores, labels)


@pytest.mark.parametrize("loss", ["mse", "l1", "huber"])
def test_the_accuracy_of_a_regression_is_refused(loss):
    with pytest.raises(ValueError, match=r"accuracy compares labels, but the targets are numbers such as 0\.5; .*'r2'"):
        fit(nn.Linear(2, 1), X, np.linspace(0.5, 1.7, 8), loss=loss, metrics="accuracy")
    fit(nn.Linear(2, 1), X, np.arange(8.0) % 2, loss=loss, metrics="accuracy", epochs=1, progress=False)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_a_recurrent_layer_in_sequential_says_that_it_returns_a_tuple(kind):
    x = np.ones((4, 5, 2))
    with pytest.raises(ArgumentError, match=rf"{kind.__name__} returns a tuple, .* lambda found: found\[0\]"):
        nn.Sequential(kind(2, 3), nn.Linear(3, 1))(x)
    with pytest.raises(ArgumentError, match="mse needs one array of predictions, but the model returns a tuple of 2"):
        fit(nn.Sequential(kind(2, 1)), x, np.ones((4, 5, 1)), loss="mse")
    found = nn.Sequential(kind(2, 3), lambda found: found[0], nn.Linear(3, 1))(x)
    assert found.shape == (4, 5, 1)
    with pytest.raises(ZeroDivisionError):
        nn.Sequential(nn.Linear(2, 2), lambda found: 1 / 0)(x)
