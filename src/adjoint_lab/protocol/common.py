"""Types that the messages of several rooms share."""

from typing import Annotated, Any, NamedTuple, TypedDict


class TypeScript(NamedTuple):
    """The name of a type that web/ defines itself, and the module that exports it."""

    name: str
    module: str


# A number as JSON has it: NaN and the infinities are sent as strings, and a missing number as null.
Wire = Annotated[float | None, TypeScript("Wire", "../../shared/numbers")]
# The nested lists of a formula in MathML, and the graph that Explore draws.
Math = Annotated[Any, TypeScript("MathElement", "../../shared/math")]
Scene = Annotated[dict[str, Any], TypeScript("Scene", "../../explore/model")]
# A sample in the plane: its coordinates, its class and, in Train, whether it is a test sample.
Sample = Annotated[list[float], TypeScript("Sample", "../../shared/plane/Plane")]


class _Architecture(TypedDict):
    activations: list[str]
    mean: list[float]
    spread: list[float]


class _LayerValues(TypedDict):
    w: list[list[Wire]]
    b: list[Wire]


# What a page needs to compute the outputs of a network: the activation of each layer, the scale of the inputs, and the
# weights of each layer. Gradients are sent like weights.
Architecture = Annotated[_Architecture, TypeScript("Architecture", "../../shared/plane/network")]
LayerValues = Annotated[_LayerValues, TypeScript("LayerValues", "../../shared/plane/network")]
# Lists and dicts whose type in TypeScript is more precise.
Corner = Annotated[list[float], tuple[float, float]]
