"""Random expressions, and the value and gradients of any expression from PyTorch as a reference."""

import math
import random
import re

import torch
from programs import torch_function

from adjoint.see.expression import FUNCTIONS

_SMOOTH = ["tanh", "sigmoid", "exp", "sin", "cos", "softplus", "gelu", "silu", "atan", "relu", "square", "erf"]


def random_expression(seed: int) -> tuple[str, dict[str, float]]:
    """Return an expression of three to a dozen operations, and a number for each of its names."""
    rng = random.Random(seed)
    names = rng.sample(["a", "b", "c", "x1", "w"], rng.randint(1, 4))
    text = rng.choice(names)
    for _ in range(rng.randint(2, 9)):
        other = rng.choice([*names, f"{rng.choice([0.5, 2, 3])}"])
        text = rng.choice(
            [
                f"{text} + {other}",
                f"({text}) * {other}",
                f"{other} - ({text})",
                f"({text}) / (1 + {other}**2)",
                f"{rng.choice(_SMOOTH)}({text})",
                f"maximum({text}, {other})",
                f"tanh({text}) * ({other})**2",
            ]
        )
    used = [name for name in names if re.search(rf"\b{name}\b", text)]
    return text, {name: round(rng.uniform(-2, 2), 2) for name in used}


def in_torch(text: str, numbers: dict[str, float]) -> tuple[float, dict[str, float]]:
    """Return the value of an expression and its gradients, run by Python and computed by PyTorch.

    The text may have several statements; the last one is the result.
    """
    leaves = {name: torch.tensor(float(x), dtype=torch.float64, requires_grad=True) for name, x in numbers.items()}

    def function(row):
        def call(*operands):
            return torch_function(row)(*(torch.as_tensor(x, dtype=torch.float64) for x in operands))

        return call

    known = {name: function(name) for name in FUNCTIONS} | leaves | {"pi": math.pi}
    *lines, last = re.split(r"[;\n]\s*", text.strip())
    exec("\n".join(lines), {"__builtins__": {}}, known)
    out = eval(re.sub(r"^\w+\s*=", "", last).strip(), {"__builtins__": {}}, known)
    out.backward()
    return out.item(), {name: 0.0 if leaf.grad is None else leaf.grad.item() for name, leaf in leaves.items()}
