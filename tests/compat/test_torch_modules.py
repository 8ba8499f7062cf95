"""Methods and names of PyTorch and micrograd: they work, or the error names ours."""

import random

import numpy as np
import pytest
import torch
from closeness import require_close

import adjoint
from adjoint import Value, nn, optim
from adjoint.errors import AdjointError, ArgumentError


def model(n):
    block = n.Sequential(n.Linear(2, 3), n.Tanh())
    return n.Sequential(block, n.Linear(3, 1))


def test_modules_have_the_methods_of_pytorch():
    ours, theirs = model(nn), model(torch.nn)
    for a, b in ((ours, theirs), (ours[0], theirs[0])):
        assert [type(x).__name__ for x in a.children()] == [type(x).__name__ for x in b.children()]
    for path in ("", "0", "0.1", "1"):
        assert type(ours.get_submodule(path)).__name__ == type(theirs.get_submodule(path)).__name__
    assert ours.get_parameter("0.0.weight").shape == tuple(theirs.get_parameter("0.0.weight").shape)
    assert next(ours.parameters()) is ours[0][0].weight
    both = ours.parameters()
    assert [next(both).shape, next(both).shape] == [tuple(p.shape) for p in theirs.parameters()][:2]
    with pytest.raises(StopIteration):
        next(nn.ReLU().parameters())
    for n, value in ((nn, Value([1.0, 2.0])), (torch.nn, torch.nn.Parameter(torch.ones(2)))):
        made = n.Module() if n is nn else n.Sequential()
        made.add_module("inner", n.Linear(1, 1))
        made.register_parameter("scale", value)
        made.register_parameter("nothing", None)
        assert sorted(made.state_dict()) == ["inner.bias", "inner.weight", "scale"]
        assert made.nothing is None


def test_dtypes_change_in_place_and_set_to_none_is_accepted():
    made = model(nn)
    for name, dtype in (("float", "float32"), ("half", "float16"), ("double", "float64")):
        assert getattr(made, name)() is made
        assert {str(p.dtype) for p in made.parameters()} == {dtype}
    assert made.to("cpu", dtype=torch.float32) is made.cpu() is made
    assert made[1].weight.dtype == np.float32
    made([[1.0, 2.0]]).sum().backward()
    made.zero_grad(set_to_none=True)
    assert not any(p.grad.any() for p in made.parameters())
    made([[1.0, 2.0]]).sum().backward()
    optim.SGD(params=made.parameters(), lr=0.1).zero_grad(set_to_none=False)
    assert not any(p.grad.any() for p in made.parameters())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.Linear(1, 1).register_full_backward_hook(print), r"value\.register_hook\(f\)"),
        (lambda: nn.Linear(1, 1).register_forward_pre_hook(print), r"register_forward_hook\(f\)"),
        (lambda: nn.Linear(1, 1).cuda(), "this array is on 'cpu'"),
        (lambda: nn.Linear(1, 1).to("cuda:0"), "adjoint.jit compiles for the devices"),
        (lambda: nn.Linear(1, 1).add_module("a", 3), r"add_module\('a', …\) needs a module, not int 3"),
        (lambda: nn.Linear(1, 1).add_module("a.b", None), "'a.b' cannot name a member"),
        (lambda: nn.Linear(1, 1).register_parameter("a", Value(1.0) * 2), "needs a Value without history"),
        (lambda: model(nn).get_submodule("0.2"), "unknown submodule '0.2'"),
        (lambda: model(nn).get_parameter("0.0.weigth"), "did you mean '0.0.weight'"),
        (
            lambda: optim.SGD([Value(1.0)], learning_rate=0.1),
            "SGD has no option 'learning_rate'; .* called 'lr'",
        ),
        (lambda: optim.Adam([Value(1.0)], beta1=0.1), "here it is called 'betas'"),
        (lambda: optim.SGD([Value(1.0)], momentun=0.1), "did you mean 'momentum'"),
        (lambda: nn.LazyLinear, "adjoint.nn has no 'LazyLinear'; write `nn.Linear`, with the number of inputs"),
        (lambda: nn.Linaer, "adjoint.nn has no 'Linaer'; did you mean 'Linear'"),
        (lambda: nn.Dense, "write `nn.Linear`"),
    ],
)
def test_errors_name_ours(call, message):
    with pytest.raises((AdjointError, AttributeError), match=message):
        call()


def test_every_layer_of_pytorch_exists_or_its_error_says_what_to_use():
    private = {"Container", "RNNBase", "RNNCellBase", "UninitializedBuffer", "UninitializedParameter"}
    new = {name for name in dir(torch.nn) if name.startswith("LinearCrossEntropy")}  # of PyTorch 2.12
    for name in set(dir(torch.nn)) - private - new:
        if isinstance(getattr(torch.nn, name), type):
            try:
                assert callable(getattr(nn, name))
            except AttributeError as error:
                assert "; write " in str(error), name  # noqa: PT017


def test_a_name_that_is_missing_is_an_attribute_error_and_not_an_attribute():
    assert not hasattr(nn, "LazyLinear")
    with pytest.raises(ImportError):
        exec("from adjoint.nn import Linaer")


def test_equal_modules_in_a_list_are_shown_once_as_in_pytorch():
    def text(n):
        return str(n.ModuleList([n.Tanh(), *(n.Sequential(n.ReLU()) for _ in range(3)), n.Tanh()]))

    assert text(nn) == text(torch.nn)


def test_a_nested_model_is_indented_as_in_pytorch():
    ours, theirs = str(model(nn)).splitlines(), str(model(torch.nn)).splitlines()
    assert [line.split(":")[0].split(")")[0] for line in ours] == [line.split(":")[0].split(")")[0] for line in theirs]
    assert ours[2] == "    (0): Linear(2, 3), 9 parameters"


def test_a_summary_displays_itself_as_a_table_in_notebooks():
    made = nn.Sequential(nn.Sequential(nn.Linear(2, 3), nn.ReLU()), nn.Linear(3, 1)).float()
    shown = made.summary([[1.0, 2.0]])
    assert repr(shown) == str(shown)
    assert shown.endswith("13 parameters, all trainable, 52 bytes")
    html = shown._repr_html_()
    assert html.count("<tr>") == 6
    assert '<td style="text-align:left">0.0</td>' in html
    assert '<th style="text-align:right">parameters</th>' in html
    assert "<p>13 parameters, all trainable, 52 bytes</p>" in html
    assert str(nn.ReLU().summary()).endswith("no parameters")


# --- micrograd ------------------------------------------------------------------------------------------


def test_the_demo_of_micrograd_runs_with_only_its_imports_changed():
    """The program of micrograd's demo.ipynb: two moons, a max-margin loss with L2, and a learning rate that decays."""
    from adjoint.engine import Value
    from adjoint.nn import MLP, Layer, Module, Neuron

    assert issubclass(MLP, Module)
    assert issubclass(Layer, Module)
    assert issubclass(Neuron, Module)
    random.seed(1337)
    X, y = adjoint.data.moons(n=50, noise=0.1)
    y = y * 2 - 1  # make y be -1 or 1
    model = MLP(2, [16, 16, 1])
    assert "16" in repr(model)

    def loss():
        inputs = [list(map(Value, xrow)) for xrow in X]
        scores = list(map(model, inputs))
        losses = [(1 + -yi * scorei).relu() for yi, scorei in zip(y, scores)]
        data_loss = sum(losses) * (1.0 / len(losses))
        alpha = 1e-4
        reg_loss = alpha * sum(p * p for p in model.parameters())
        total_loss = data_loss + reg_loss
        accuracy = [(yi > 0) == (scorei.data > 0) for yi, scorei in zip(y, scores)]
        return total_loss, sum(accuracy) / len(accuracy)

    for k in range(60):
        total_loss, acc = loss()
        model.zero_grad()
        total_loss.backward()
        learning_rate = 1.0 - 0.9 * k / 100
        for p in model.parameters():
            p.data -= learning_rate * p.grad
    assert acc > 0.95
    assert adjoint.Value is Value


@pytest.mark.parametrize(("nonlin", "activation"), [(True, "relu"), (False, "linear")])
def test_neurons_and_layers_take_the_argument_of_micrograd(nonlin, activation):
    neuron, layer = nn.Neuron(2, nonlin=nonlin), nn.Layer(2, 3, nonlin=nonlin)
    assert {x.activation for x in (neuron, *layer.neurons)} == {activation}
    expected = np.dot([w.data for w in neuron.w], [1.0, 2.0]) + neuron.b.data
    require_close(neuron([1.0, 2.0]).data, max(expected, 0.0) if nonlin else expected)


def test_draw_dot_returns_our_picture():
    a = Value(2.0, label="a")
    root = a * 3.0
    assert "<svg" in str(adjoint.draw_dot(root))
    assert str(adjoint.draw_dot(root, format="dot", rankdir="TB")) == str(adjoint.to_dot(root, direction="TB"))
    with pytest.raises(ArgumentError):
        adjoint.draw_dot(root, format="bmp")
