"""Programs of single numbers run where NumPy is not installed, with the same results to the last bit."""

import pytest
from tests.support.without_numpy import output_of

OPTIMIZERS = """
from adjoint import Value, optim
from adjoint.optim.named_optimizers import OPTIMIZERS

def train(kind, **options):
    weights = [Value(0.3 * i - 1) for i in range(9)]
    optimizer = kind(weights, **options)
    average, schedule = optim.EMA(weights, 0.8), optim.CosineAnnealingLR(optimizer, 5)

    def closure():
        optimizer.zero_grad()
        loss = sum((w - 1.5) ** 2 * (0.1 * i + 1) + w.sin() for i, w in enumerate(weights))
        loss.backward()
        return loss

    for _ in range(3):
        closure()
        norms = [optim.clip_grad_norm(weights, 3.0, 1.5), optim.clip_grad_norm(weights, 2.0)]
        optim.clip_grad_value(weights, 0.8)
        optimizer.step(closure)
        schedule.step()
        average.update()
    optimizer.load_state_dict(optimizer.state_dict())
    average.load_state_dict(average.state_dict())
    optimizer.step(closure)
    print(optimizer, norms, [w.data for w in weights])
    with average:
        print([w.data for w in weights])

for kind in OPTIMIZERS.values():
    train(kind)
train(optim.SGD, momentum=0.9, nesterov=True, weight_decay=0.1)
train(optim.RMSprop, momentum=0.9, centered=True)
train(optim.Adagrad, eps=0.0)
train(optim.LBFGS, line_search_fn="strong_wolfe", history_size=2)
train(optim.LBFGS)
"""

NETWORKS = """
import copy, pickle
import adjoint
from adjoint import Value, draw, explain, nn

adjoint.manual_seed(3)
model = nn.MLP(2, [4, 3], output_activation="linear")
other = nn.MLP(2, [4, 3], output_activation="linear", seed=1)
other.load_state_dict(model.state_dict())
print(model.freeze("layers.0"), model.unfreeze().summary([1.0, 2.0]), other.state_dict())

samples, labels, targets = [[0.1, 0.2], [0.5, -0.3], [1.0, 1.0]], [0, 1, 2], [[0.0, 1.0, 1.0]] * 3
functions = (
    nn.mse, nn.l1, nn.huber, nn.smooth_l1, nn.hinge, nn.binary_cross_entropy_with_logits, nn.kl_div, nn.poisson_nll,
    nn.focal, nn.soft_margin, nn.hinge_embedding, nn.HuberLoss(delta=0.3), nn.BCEWithLogitsLoss(),
)
losses = [(f, targets) for f in functions]
losses += [(nn.cross_entropy, labels), (nn.CrossEntropyLoss(label_smoothing=0.1), labels), (nn.nll, labels)]
for function, target in losses:
    model.zero_grad()
    loss = function([model(x) for x in samples], target)
    loss.backward()
    print(loss.data, [p.grad for p in model.parameters()])
chances = [[x.sigmoid() for x in model(sample)] for sample in samples]
print(nn.binary_cross_entropy(chances, targets).data, nn.gaussian_nll(chances[0][0], 1.0, 0.5).data)

weight = Value(0.0)
for draw_number in (nn.init.uniform, nn.init.normal, nn.init.trunc_normal):
    print(draw_number(weight, seed=0).data, draw_number(weight).data)
print(nn.Sequential(nn.Layer(2, 3, seed=0), nn.Tanh(), nn.Neuron(3, seed=1)))
print(adjoint.where(weight > 5, weight, 1.0), adjoint.softplus(weight), adjoint.hardtanh(weight, -0.5, 0.5))
print(explain(loss), draw(loss), draw(model))
print(copy.deepcopy(model)([1.0, 2.0]), pickle.loads(pickle.dumps(model))([1.0, 2.0]), copy.copy(loss))
"""

COMPILED = """
from adjoint import Value, jit, nn, optim

model = nn.MLP(2, [4, 1], seed=0)
optimizer = optim.Adam(model, lr=0.05)
schedule = optim.StepLR(optimizer, 2)

@jit
def step(xs, ys):
    optimizer.zero_grad()
    loss = sum((1 - y * model(x)).relu() for x, y in zip(xs, ys)) + 1e-3 * sum(p * p for p in model.parameters())
    loss.backward()
    norm = optim.clip_grad_norm(model, 0.5)
    optimizer.step()
    return loss, norm

for _ in range(4):
    loss, norm = step([[0.1, 0.2], [0.5, -0.3], [1.0, 1.0], [-1.0, 0.3]], [1, -1, 1, -1])
    schedule.step()
    print(loss.data, norm, optimizer.lr)
print([p.data for p in model.parameters()], step.program, step.program.listing())

power = jit(lambda x, n: x**n)
print(power(2, 3), power(2.0, 0.5), power(Value(2.0), 3), jit(lambda seed: seed * 1103515245 % 2**31)(8))
"""

DERIVATIVES = """
from adjoint import Value, check_gradients, grad, hessian, hvp, jacobian, jit, jvp, sin, tanh, value_and_grad, vjp

def f(x, y):
    return x**3 * sin(y) + tanh(x * y)

print(grad(f)(1.5, 0.3), grad(grad(f))(1.5, 0.3), grad(f, (0, 1))(1.5, 0.3), jit(grad(f))(1.5, 0.3))
print(value_and_grad(lambda p: p["a"] ** 2 * p["b"][0] + p["b"][1].exp())({"a": 1.0, "b": [2.0, 0.5]}))
print(jvp(f, (1.5, 0.3), (1.0, 2.0)), vjp(f, 1.5, 0.3)[1](2.0), hvp(lambda x: x**4, 2.0, 1.0))
print(jacobian(f, (0, 1))(1.5, 0.3), hessian(f, (0, 1))(1.5, 0.3), grad(f)(Value(1.5), 0.3))
print(check_gradients(f, 1.5, 0.3), check_gradients(lambda x, y: [x * y, x.tanh()], 0.5, 2.0, order=2))
"""


@pytest.mark.parametrize("pure", [False, True], ids=["native", "python"])
def test_programs_of_numbers_print_the_same_without_numpy(pure):
    program = OPTIMIZERS + NETWORKS + COMPILED + DERIVATIVES
    found, expected = (output_of(program, numpy=numpy, pure=pure).splitlines() for numpy in (False, True))
    assert found == expected
    assert not any("nan" in line for line in found)


def test_an_array_without_numpy_is_an_error_that_says_what_to_do():
    program = """
import adjoint
from adjoint import Value, nn

for use in (
    lambda: Value([1.0, 2.0]), lambda: nn.Linear(2, 3), lambda: nn.MLP(2, [1]).to_arrays(), lambda: adjoint.stack,
    lambda: Value(1.0).reshape(1),
):
    try:
        use()
    except adjoint.errors.AdjointError as error:
        print(error)
print(hasattr(Value(1.0), "dtype"))
"""
    message = "arrays need NumPy, which is not installed: pip install numpy; Values of single numbers work without it"
    assert output_of(program, numpy=False).splitlines() == [message] * 5 + ["False"]
