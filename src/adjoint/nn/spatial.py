"""Layers of sequences, images and volumes: a class for one, two and three spatial axes, made from one base class.

    class _Padding(Spatial): ...
    class ZeroPad1d(_Padding, ndim=1): ...
    class ZeroPad2d(_Padding, ndim=2): ...

A base class documents its family once; see `Spatial`.
"""

from adjoint.arrays.functions.windows import axis_names
from adjoint.errors import ShapeError
from adjoint.nn.module import Module

_INPUTS = {1: ("a sequence", "4"), 2: ("an image", "2, 4"), 3: ("a volume", "2, 2, 4")}


_DOCUMENTATION = """{summary}

    >>> import numpy as np
    >>> from adjoint import nn
    >>> {example}
    array({result})
    """


class Spatial(Module):
    """The base class of layers with `_ndim` spatial axes.

    A family may have a `summary`, an `example` and its `results` for one, two and three axes: they document classes
    without a docstring. There, `{name}` is the name of the class, `{input}` is "a sequence", "an image" or "a volume",
    `{inputs}` the plural, `{axes}` the names of the axes, and `{x}` an array of 4 columns, and of 2 along other axes.
    """

    _ndim = 0
    _family = ("", "", ("", "", ""))

    def __init_subclass__(
        cls,
        ndim: int = 0,
        summary: str = "",
        example: str = "",
        results: tuple[str, str, str] = ("", "", ""),
        **options,
    ):
        super().__init_subclass__(**options)
        if summary:
            cls._family = summary, example, results
        if ndim:
            cls._ndim = ndim
            cls.__doc__ = cls.__doc__ or cls._documentation()

    @classmethod
    def _documentation(cls) -> str:
        (one, sizes), (summary, example, results) = _INPUTS[cls._ndim], cls._family
        words = {
            "name": cls.__name__,
            "input": one,
            "inputs": f"{one.split()[1]}s",
            "axes": ", ".join(("samples", "channels", *axis_names(cls._ndim))),
            "x": f"np.arange({2 ** (cls._ndim + 1)}.0).reshape(1, {sizes})",
        }
        summary, example = (text.format(**words) for text in (summary, example))
        return _DOCUMENTATION.format(summary=summary, example=example, result=results[cls._ndim - 1])

    def _require_axes(self, shape: tuple[int, ...], channels: int | None = None) -> None:
        """Raise unless a shape is that of an input, with this number of channels if one is given."""
        ndim = self._ndim
        if len(shape) not in (ndim + 1, ndim + 2) or (channels is not None and shape[-ndim - 1] != channels):
            wanted = ", ".join(("channels" if channels is None else str(channels), *axis_names(ndim)))
            raise ShapeError(f"expected an input of shape (samples, {wanted}) or ({wanted}), not {shape}")
