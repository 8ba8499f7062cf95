"""Module.freeze and unfreeze, what optimizers and fit do with frozen parameters, and how models show them."""

import numpy as np
import pytest

from adjoint import Value, fit, jit, nn, optim
from adjoint.data import moons
from adjoint.errors import ArgumentError
from adjoint.see.drawing.modules import as_html


def network():
    return nn.Sequential(nn.Linear(2, 3, seed=0), nn.Tanh(), nn.Linear(3, 1, seed=1))


def trained(model):
    return [name for name, p in model.named_parameters() if p.requires_grad]


def test_freeze_and_unfreeze_name_layers_and_parameters():
    model = network()
    assert trained(model.freeze("0")) == ["2.weight", "2.bias"]
    assert trained(model.freeze("2.bias")) == ["2.weight"]
    assert trained(model.unfreeze("0", "2.bias")) == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert trained(model.freeze()) == []
    assert trained(model.unfreeze(model[2])) == ["2.weight", "2.bias"]
    assert trained(model.requires_grad_()) == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert trained(model.requires_grad_(False)) == []


def test_freezing_an_unknown_layer_suggests_the_nearest_one():
    model = nn.Sequential({"encoder": nn.Linear(2, 2), "head": nn.Linear(2, 1)})
    with pytest.raises(ArgumentError, match=r"layer or parameter of Sequential 'encodr' \(did you mean 'encoder'"):
        model.freeze("encodr")
    assert len(trained(model)) == 4


OPTIMIZERS = {
    "SGD": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1),
    "Adam": lambda p: optim.Adam(p, lr=0.1, weight_decay=0.1),
    "AdamW": lambda p: optim.AdamW(p, lr=0.1, weight_decay=0.1),
}


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["eager", "jit"])
def test_optimizers_leave_frozen_numbers_as_they_are(make, wrap):
    w, b = Value(2.0), Value(3.0)
    alone = Value(2.0)
    optimizer, other = make([w, b]), make([alone])
    b.requires_grad = False

    @wrap
    def step():
        for o in (optimizer, other):
            o.zero_grad()
        (w * w * b).backward()
        (alone * alone * 3.0).backward()
        optimizer.step()
        other.step()

    for _ in range(3):
        step()
    assert b.data == 3.0
    assert w.data == alone.data != 2.0
    b.requires_grad = True
    step()
    assert b.data != 3.0


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_optimizers_leave_frozen_arrays_as_they_are(make):
    model = network()
    optimizer = make(model)
    x = np.ones((4, 2))
    model(x).sum().backward()
    optimizer.step()  # momentum builds up
    model.freeze("0")
    before = model.state_dict()
    for _ in range(2):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
    changed = [name for name, p in model.state_dict().items() if not np.array_equal(p, before[name])]
    assert changed == ["2.weight", "2.bias"]


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.full)])
def test_fit_trains_what_is_not_frozen(compiled):
    model = network().freeze("0")
    before = model.state_dict()
    fit(model, moons(20, seed=0), loss="binary_cross_entropy_with_logits", epochs=2, jit=compiled)
    changed = [name for name, p in model.state_dict().items() if not np.array_equal(p, before[name])]
    assert changed == ["2.weight", "2.bias"]


def test_frozen_parameters_need_no_gradient_and_no_place_in_the_optimizer(recwarn):
    model = network().freeze("0")
    optimizer = optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
    fit(model, moons(20, seed=0), loss="binary_cross_entropy_with_logits", epochs=2, optimizer=optimizer)
    model = network().freeze("0")
    optimizer = optim.SGD(model, lr=0.1)
    for _ in range(12):
        optimizer.zero_grad()
        model(np.ones((4, 2))).sum().backward()
        optimizer.step()
    assert [str(w.message) for w in recwarn] == []


def test_models_show_what_is_frozen():
    model = network()
    assert "frozen" not in repr(model) + model.summary()
    model.freeze("0")
    assert "(0): Linear(2, 3), 9 parameters (frozen)" in repr(model)
    assert repr(model).endswith("), 13 parameters (4 trainable)")
    shown = model.summary()
    assert [row[-2:] for row in shown.rows] == [["9", "0"], ["0", "0"], ["4", "4"], ["13", "4"]]
    assert shown.endswith("13 parameters, 4 trainable, 104 bytes")
    assert "9 parameters (frozen)" in as_html(model)
    assert repr(nn.MLP(2, [2, 1]).freeze("layers.0")) == "MLP(2 → 2 tanh → 1 tanh, 9 parameters (3 trainable))"


def test_a_state_does_not_hold_what_is_frozen():
    model, other = network().freeze("0"), network().freeze("2")
    other.load_state_dict(model.state_dict())
    assert trained(other) == ["0.weight", "0.bias"]
