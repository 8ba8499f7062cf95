"""Special functions with the names and arguments of `scipy.special`, and with gradients.

This is the public face of `adjoint.arrays.functions.special_functions`, where the rules are; it holds nothing else.
"""

from adjoint.arrays.functions.special_functions import *  # noqa: F403
from adjoint.arrays.functions.special_functions import __all__ as __all__


def __dir__() -> list[str]:
    return [*__all__]
