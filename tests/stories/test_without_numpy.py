"""Programs of single numbers run where NumPy is not installed, with the same results to the last bit."""

import pytest
from tests.support.without_numpy import output_of

OPTIMIZERS = """
from adjoint import Value, optim
from adjoint.optim.registry import OPTIMIZERS

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


@pytest.mark.parametrize("pure", [False, True], ids=["native", "python"])
@pytest.mark.parametrize("program", [OPTIMIZERS], ids=["optimizers"])
def test_a_program_of_numbers_prints_the_same_without_numpy(program, pure):
    found = output_of(program, numpy=False, pure=pure)
    assert found == output_of(program, numpy=True, pure=pure)
    assert "nan" not in found
