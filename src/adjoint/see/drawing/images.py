"""A picture as PNG or PDF: Typst, which ships its own fonts, renders the SVG in its light colors."""

from adjoint.errors.optional import library
from adjoint.see.drawing.svg import in_light

_SCALE = 2  # pixels of the PNG for each pixel of the picture, so that it is sharp on high-resolution screens
_PAGE = b"""\
#set page(width: auto, height: auto, margin: 0pt)
#set document(title: "A graph", date: none)
#image(bytes(sys.inputs.picture), format: "svg", alt: "A graph")
"""


def convert(svg: str, format: str) -> bytes:
    """Return an SVG made by `svg.render` as "png" or "pdf"; the bytes are reproducible."""
    typst = library("typst", f"a drawing as {format.upper()}", "images")
    return typst.compile(_PAGE, format=format, ppi=96.0 * _SCALE, sys_inputs={"picture": in_light(svg)})


def png_width(image: bytes) -> int:
    """Return the display width of a PNG, which is less than its width in pixels."""
    return int.from_bytes(image[16:20]) // _SCALE
