"""What a person explores as programs that run: one with adjoint, the same in PyTorch."""

import ast
import math
from collections.abc import Mapping

from adjoint.errors import LabError
from adjoint.expression import CONSTANTS, FUNCTIONS, Expression

_ADJOINT = """\
from adjoint import {imports}

{inputs}

{out} = {expression}
{out}.backward()

print({out}.data)
{gradients}
print(explain({out}))
"""
_TORCH = """\
import torch

{inputs}

{out} = {expression}
{out}.backward()

print({out}.item())
{gradients}
"""
_TAKEN = {"Value", "explain", "print", "torch", "float"}
_IN_FUNCTIONAL = {"softplus", "silu", "gelu"}
_WITH_SLOPE = {
    "leaky_relu": "torch.where({x} > 0, {x}, {z} * {x})",
    "elu": "torch.where({x} > 0, {x}, {z} * torch.expm1({x}))",
}
