"""The result of `draw`: text or an image, which knows how to save and display itself."""

import os
from base64 import b64encode
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, whole
from adjoint.errors.suggest import unknown_name_error
from adjoint.files import atomic
from adjoint.see.drawing.dot_source import as_dot
from adjoint.see.drawing.images import convert, png_width
from adjoint.see.drawing.mermaid import as_mermaid
from adjoint.see.drawing.scene import FIELDS, Choices, number_format
from adjoint.see.drawing.subjects import Subject, find_subject
from adjoint.see.drawing.text_trees import as_text, in_color
from adjoint.see.explanation.groups import Groups

if TYPE_CHECKING:
    from rich.console import RenderableType

_FORMATS = ("text", "svg", "dot", "mermaid", "png", "pdf")
_ENDINGS = {".txt": "text", ".svg": "svg", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".png": "png", ".pdf": "pdf"}
_MEDIA = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf", "mermaid": "text/vnd.mermaid"}
_SOURCES = {"dot": as_dot, "mermaid": as_mermaid}
_DIRECTIONS = ("LR", "TB")


class Drawing(str):
    """A picture as a string of text, SVG, DOT or Mermaid. `save` writes a file in the format of its suffix.

    A PNG or a PDF is `bytes(drawing)`; the string is then the text tree. Notebooks display `draw(root)` as a picture.

    >>> from adjoint import Value, draw
    >>> drawing = draw(Value(2.0, label="a") * 3)
    >>> drawing.kind, drawing.splitlines()[0]
    ('text', 'v1 = a * 3  data 6.0000  no gradient yet')
    """

    kind: str
    _subject: Subject
    _choices: Choices
    _image: bytes | None
    _is_picture: bool  # no format was given: text in a terminal, an SVG picture in a notebook

    def __new__(cls, subject: Subject, format: str | None, choices: Choices, width: int | None = None) -> "Drawing":
        image, is_picture, format = None, format is None, format or "text"
        if format == "svg":
            content = subject.svg(choices)
        elif format in _SOURCES:
            content = _SOURCES[format](subject.scene(choices), choices.direction)
        else:
            content = as_text(subject.lines(choices), width)
            image = None if format == "text" else convert(subject.svg(choices), format)
        self = super().__new__(cls, content)
        self.kind, self._subject, self._choices, self._image = format, subject, choices, image
        self._is_picture = is_picture
        return self

    def __repr__(self) -> str:
        return f"<a drawing as SVG, {len(self):,} characters>" if self.kind == "svg" else str(self)

    def __bytes__(self) -> bytes:
        return f"{self}\n".encode() if self._image is None else self._image

    def save(self, path: str | os.PathLike) -> None:
        """Write the picture to a .svg, .png, .pdf, .dot, .mmd or .txt file, atomically."""
        ending = atomic.as_path(path).suffix.lower()
        if ending not in _ENDINGS:
            raise ArgumentError(f"cannot save a drawing to {str(path)!r}; the name must end in {_join_names(_ENDINGS)}")
        same = _ENDINGS[ending] == self.kind
        atomic.write(path, bytes(self if same else Drawing(self._subject, _ENDINGS[ending], self._choices)))

    def __rich__(self) -> "RenderableType":
        from rich.text import Text

        if self.kind == "text":
            return in_color(self._subject.lines(self._choices))
        return Text(self)  # brackets are not markup

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, str], dict[str, object]]:
        media: dict[str, str] = {"text/plain": repr(self)}
        about: dict[str, object] = {}
        if self._is_picture:
            media[_MEDIA["svg"]] = self._subject.svg(self._choices)
        elif self.kind in _MEDIA:
            media[_MEDIA[self.kind]] = str(self) if self._image is None else b64encode(self._image).decode()
        if self.kind == "png" and self._image:
            about["image/png"] = {"width": png_width(self._image)}
        return media, about

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))  # IPython would print a string in quotes


def make_drawing(
    root: object,
    format: str | None,
    direction: str | None,
    fields: Sequence[str],
    numbers: str | None,
    width: int | None,
    groups: Groups | None,
    opened: Collection[str] | None,
) -> Drawing:
    """Check the options of `adjoint.draw` and return the picture."""
    subject = find_subject(root)
    given = {"fields": fields != FIELDS, "numbers": numbers is not None, "groups": groups is not None, "opened": opened}
    for option, is_given in given.items():
        if is_given and option not in subject.options:
            raise ArgumentError(f"{option} is not an option for {subject.noun}")
    if format is not None and format not in _FORMATS:
        raise unknown_name_error("format", format, _FORMATS)
    if direction is None:
        direction = subject.direction
    if direction not in _DIRECTIONS:
        raise unknown_name_error("direction", direction, _DIRECTIONS)
    fields = [fields] if isinstance(fields, str) else list(fields)
    for name in fields:
        if name not in FIELDS:
            raise unknown_name_error("field", name, FIELDS)
    if groups is not None and not isinstance(groups, Groups):
        raise ArgumentError(f"groups must be the result of `with grouping(model) as groups`, not {describe(groups)}")
    if opened is not None and groups is None:
        raise ArgumentError("opened needs groups: draw(root, groups=groups, opened=[…])")
    opened = {opened} if isinstance(opened, str) else opened
    choices = Choices(fields, number_format(numbers), direction, groups, opened)
    return Drawing(subject, format, choices, None if width is None else whole(width, "width", least=10))


def _join_names(names: Collection[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}"
