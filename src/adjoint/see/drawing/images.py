"""A picture as PNG or PDF: the SVG in its light colours, rendered by Typst, which brings its fonts along."""

from typing import Any

from adjoint.errors.optional import library
from adjoint.see.drawing.svg import in_light

_SCALE = 2  # pixels of a PNG for each of the picture, so that it is sharp on fine screens
_PAGE = b"""\
#set page(width: auto, height: auto, margin: 0pt)
#set document(title: "A graph", date: none)
#image(bytes(sys.inputs.picture), format: "svg", alt: "A graph")
"""


def rendered(svg: str, format: str) -> bytes:
    """Return an SVG of ours as "png" or "pdf"; the same bytes each time."""
    typst: Any = library("typst", f"a drawing as {format.upper()}", "images")
    return typst.compile(_PAGE, format=format, ppi=96.0 * _SCALE, sys_inputs={"picture": in_light(svg)})


def png_width(image: bytes) -> int:
    """Return how wide the picture is that a PNG shows; it has more pixels."""
    return int.from_bytes(image[16:20]) // _SCALE
