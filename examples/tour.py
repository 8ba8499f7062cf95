"""A tour in one second: an expression, its gradients, its graph, a rule, and a small network that learns XOR.

    python examples/tour.py

The gradients of (a·b + c)·f are 6, -4, -2 and 4. The derivatives of x³ at 2 are 12, 12, 6 and 0. A network of 37
parameters learns XOR in 500 steps, and its loss falls from 1.53692 to 0.00811.
"""

import adjoint
from adjoint import Value, check_gradients, draw, nn

XOR = [([0, 0], 0), ([0, 1], 1), ([1, 0], 1), ([1, 1], 0)]


def title(text: str) -> None:
    print(f"\n{text}\n{'─' * len(text)}")


def an_expression() -> None:
    title("An expression and its gradients")
    a, b, c, f = Value(2, label="a"), Value(-3, label="b"), Value(10, label="c"), Value(-2, label="f")
    e = a * b
    d = e + c
    loss = d * f
    e.label, d.label, loss.label = "e", "d", "L"
    loss.backward()
    print(f"L = (a·b + c)·f = {loss.data:g}\n")
    for leaf in (a, b, c, f):
        print(f"  ∂L/∂{leaf.label} = {leaf.grad:g}")

    title("The graph behind it: every node with its own gradient")
    print(draw(loss))

    title("The gradients, compared with small changes of the inputs")
    print(check_gradients(loss))

    title("A rule of the table, as mathematics")
    for op in (adjoint.tanh, adjoint.sigmoid, adjoint.div):
        print(f"  {op}")


def second_derivatives() -> None:
    title("Gradients of gradients: x³ at x = 2")
    x = Value(2.0)
    current = x**3
    for order in ("first", "second", "third", "fourth"):
        x.zero_grad()
        current.backward(create_graph=True)
        current = x.grad
        print(f"  {order:>6} derivative: {float(current):g}")


def a_network(steps: int = 500, rate: float = 0.1) -> None:
    title("A network of 37 parameters learns XOR")
    model = nn.MLP(2, [4, 4, 1], seed=1)
    print(f"{model}\n")
    for step in range(steps + 1):
        loss = sum(((model(x) - target) ** 2 for x, target in XOR), Value(0))
        if step % 100 == 0:
            print(f"  step {step:4}   loss {loss:.5f}   {'█' * round(40 * min(1, loss.data))}")
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
    print()
    for x, target in XOR:
        print(f"  {x[0]} xor {x[1]} = {target}   prediction {float(model(x)):+.3f}")


if __name__ == "__main__":
    engine = "the native core" if adjoint.accelerated else "plain Python (no native core was built)"
    print(f"adjoint {adjoint.__version__}, running on {engine}")
    an_expression()
    second_derivatives()
    a_network()
