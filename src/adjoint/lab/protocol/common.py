"""Types that the messages of several rooms share."""

from typing import Annotated, Any, NamedTuple


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
# Lists and dicts whose type in TypeScript is more precise.
Corner = Annotated[list[float], tuple[float, float]]
