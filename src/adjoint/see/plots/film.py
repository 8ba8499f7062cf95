"""A film of training: the decision boundary of a model after each epoch, as a GIF, an MP4 or a web page.

    film = Film(X, y)
    fit(model, (X, y), …, callbacks=film)
    film.save("moons.gif")

GIFs are written with one palette for all frames. matplotlib's PillowWriter gives every frame its own: the files are
three times as large, and parts that do not move flicker.
"""

import os
import shutil
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from adjoint.errors import ArgumentError, FileError, MissingExtraError, MissingProgramError
from adjoint.errors.given import describe, is_number, whole
from adjoint.errors.optional import library
from adjoint.files import atomic
from adjoint.see.drawing.palette import CLASSES, GRID, INK
from adjoint.see.plots import player
from adjoint.see.plots.boundaries import Plane, Points, draw_points, draw_rings, fill, frame
from adjoint.see.plots.canvas import bare_figure, tidy
from adjoint.see.plots.curves import is_steep
from adjoint.training.history import History
from adjoint.training.scores import as_batch_model, scores_of
from adjoint.training.snapshots import Snapshot

if TYPE_CHECKING:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from numpy.typing import ArrayLike
    from PIL.Image import Image

    from adjoint.nn.module import Module

FORMATS = (".gif", ".mp4", ".html")
_FINE, _COARSE = 120, 40  # points along each side: fewer than in a single plot, because a film has many frames
_SIZE, _DPI = (4.8, 5.4), 100
_FPS = 12.0
_HOLD = 2.0  # seconds that the last frame stays before the film repeats


class Frame(NamedTuple):
    """The scores of a model after an epoch: for the grid over the plane, and for the data."""

    epoch: int
    loss: float
    scores: np.ndarray
    own: np.ndarray


class Film:
    """A callback of `fit` that records the decision boundary and makes a film of it.

    The film has at most `frames` frames: it keeps every epoch until there are more, then every second, every fourth and
    so on. It always has the last epoch. The boundary is computed in evaluation mode, and training is not affected.

    >>> from adjoint import Film, data, fit, nn
    >>> X, y = data.moons(40)
    >>> film = Film(X, y, frames=10)
    >>> model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 2, seed=1))
    >>> history = fit(model, (X, y), loss="cross_entropy", epochs=25, progress=False, callbacks=film)
    >>> film
    Film(7 frames, epochs 1 to 25)
    """

    def __init__(self, X: "ArrayLike", y: "ArrayLike", *, frames: int = 60):
        self._points = Points(X, y)
        self.most = whole(frames, "frames", least=2)
        self._begin(None)

    def _begin(self, model: "Module | None") -> None:
        self._model = model
        self._plane = self._points.plane(_FINE if model is None or as_batch_model(model) is not None else _COARSE)
        self._kept: list[Frame] = []
        self._every = 1
        self._losses: list[float] = []
        self._waiting: Snapshot | None = None  # of the last epoch that was left out, in case training ends there
        self._last: Frame | None = None  # the frame of that epoch

    def __call__(self, model: "Module", history: History) -> None:
        """Record the boundary after an epoch, if the film keeps this epoch."""
        if model is not self._model or history.epochs <= len(self._losses):
            self._begin(model)  # a new training run
        self._losses, self._last = history["loss"], None
        while self._keeps_epoch() and len(self._kept) >= self.most - (self._every > 1):  # leave room for the last epoch
            self._every *= 2
            self._kept = [x for i, x in enumerate(self._kept) if i == 0 or (x.epoch - 1) % self._every == 0]
        if self._keeps_epoch():
            self._kept.append(self._frame(model))
            self._waiting = None
        else:
            self._waiting = self._waiting or _snapshot(model)
            self._waiting.keep()

    def _keeps_epoch(self) -> bool:
        return not self._kept or (len(self._losses) - 1) % self._every == 0

    def _frame(self, model: "Module") -> Frame:
        scores = scores_of(model, self._plane.places).astype(np.float32)
        return Frame(len(self._losses), self._losses[-1], scores, scores_of(model, self._points.X))

    @property
    def frames(self) -> list[Frame]:
        """The recorded frames, including that of the last epoch."""
        model = self._model
        if self._waiting is None or model is None:
            return list(self._kept)
        if self._last is None:
            now = _snapshot(model)
            now.keep()
            try:
                self._waiting.restore()
                self._last = self._frame(model)
            finally:
                now.restore()
        return [*self._kept, self._last]

    def save(self, path: str | os.PathLike, *, fps: float = _FPS) -> None:
        """Write the film to a .gif, .mp4 or .html file with `fps` frames per second; .mp4 needs ffmpeg."""
        ending = require_film(path)
        if not is_number(fps) or not 0 < fps <= 50:
            raise ArgumentError(f"fps must be a number above 0 and at most 50, not {describe(fps)}")
        if not self._kept:
            raise ArgumentError("the film has no frames yet; record it with fit(…, callbacks=film)")
        make = {".gif": _gif, ".mp4": _mp4, ".html": _html}[ending]
        atomic.write(path, make(Screen(self._points, self._plane, self._losses), self.frames, float(fps)))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the display of a notebook: the film as a GIF, in an image that needs no script."""
        text = {"text/plain": repr(self)}
        try:
            screen = Screen(self._points, self._plane, self._losses) if self._kept else None
        except MissingExtraError:
            screen = None
        if screen is None:
            return text
        content = b64encode(_gif(screen, self.frames, _FPS)).decode()
        width = round(_SIZE[0] * _DPI)
        return {**text, "text/html": f'<img alt="{self!r}" width="{width}" src="data:image/gif;base64,{content}">'}

    def __repr__(self) -> str:
        if not self._kept:
            return "Film(no frames)"
        count = len(self._kept) + (self._waiting is not None)
        return f"Film({count} frames, epochs {self._kept[0].epoch} to {len(self._losses)})"


def _snapshot(model: "Module") -> Snapshot:
    return Snapshot(model, model.parameters())


def require_film(path: str | os.PathLike) -> str:
    """Return the suffix of a file name for a film. Raise an error if the file could not be written now."""
    ending = atomic.as_path(path).suffix.lower()
    if ending not in FORMATS:
        raise ArgumentError(f"cannot save a film to {os.fspath(path)!r}; the name must end in .gif, .mp4 or .html")
    library("matplotlib", "a film", "plot")
    if ending == ".mp4" and shutil.which("ffmpeg") is None:
        raise MissingProgramError("an .mp4 film needs the program ffmpeg, which is not installed; use .gif or .html")
    atomic.require_writable(path)
    return ending


# --- images and files ---


class Screen:
    """A figure that shows one frame at a time: the boundary, and below it the loss up to that epoch."""

    def __init__(self, points: Points, plane: Plane, losses: list[float]):
        self.figure = bare_figure(_SIZE, dpi=_DPI)
        self._points, self._plane, self._losses = points, plane, losses
        self._ax = self.figure.add_axes((0.025, 0.225, 0.95, 0.72))  # fixed positions, so that only the boundary moves
        frame(self._ax, plane)
        draw_points(self._ax, points)
        self._rings = draw_rings(self._ax, points.X[:0])
        self._ax.legend(fontsize=8, loc="upper right", framealpha=0.85)
        self._filled: list = []
        below = self.figure.add_axes((0.13, 0.085, 0.845, 0.115))
        epochs = range(1, len(losses) + 1)
        below.plot(epochs, losses, color=GRID, linewidth=1.5)
        (self._line,) = below.plot([], [], color=CLASSES[0], linewidth=1.5)
        (self._dot,) = below.plot([], [], "o", color=CLASSES[0], markersize=5)
        if is_steep(losses):
            below.set_yscale("log")
            below.minorticks_off()
        tidy(below)
        below.tick_params(labelsize=7)
        below.set_xlabel("epoch", color=INK, fontsize=8, labelpad=1)
        below.set_ylabel("loss", color=INK, fontsize=8)

    def show(self, now: Frame) -> None:
        """Draw a frame instead of the previous one."""
        for drawn in self._filled:
            drawn.remove()
        self._filled = fill(self._ax, self._plane, now.scores)
        wrong = self._points.wrong(now.own)
        self._rings.set_offsets(self._points.X[wrong])
        self._line.set_data(range(1, now.epoch + 1), self._losses[: now.epoch])
        self._dot.set_data([now.epoch], [now.loss])
        caption = f"epoch {now.epoch}   loss {now.loss:.4g}   {np.mean(~wrong):.1%} correct"
        self._ax.set_title(caption, fontsize=10, color=INK, loc="left")

    def images(self, frames: list[Frame]) -> "Iterator[Image]":
        """Yield the frames as images of Pillow, which matplotlib depends on."""
        image = library("PIL.Image", "a film", "plot")
        canvas = cast("FigureCanvasAgg", self.figure.canvas)  # which bare_figure makes
        for each in frames:
            self.show(each)
            canvas.draw()
            yield image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def _gif(screen: Screen, frames: list[Frame], fps: float) -> bytes:
    images = list(screen.images(frames))
    palette = _common_palette(images)
    first, *others = [_reduce_colors(image, palette) for image in images]
    content = BytesIO()
    pauses = [round(1000 / fps)] * len(others) + [round(1000 * _HOLD)]
    first.save(content, "GIF", save_all=True, append_images=others, duration=pauses, loop=0)
    return content.getvalue()


def _common_palette(images: "list[Image]") -> "Image":
    """Return a palette of 256 colors for all images, with white as the last one."""
    chosen = images[:: max(1, len(images) // 8)]
    width, height = images[0].size
    sheet = images[0].resize((width, height * len(chosen)))
    for i, image in enumerate(chosen):
        sheet.paste(image, (0, i * height))
    palette = sheet.quantize(255)
    colors = palette.getpalette() or []
    palette.putpalette([*colors, *[255] * (3 * 256 - len(colors))])
    return palette


def _reduce_colors(image: "Image", palette: "Image") -> "Image":
    """Return an image in the colors of a palette. White stays white, which its nearest color may not be."""
    pillow = library("PIL.Image", "a film", "plot")
    reduced = image.quantize(palette=palette, dither=pillow.Dither.NONE)
    white = np.asarray(image).min(2) == 255
    reduced.paste(255, None, pillow.fromarray(white))
    return reduced


def _mp4(screen: Screen, frames: list[Frame], fps: float) -> bytes:
    writer = library("matplotlib.animation", "a film", "plot").FFMpegWriter(fps=fps)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        try:
            with writer.saving(screen.figure, str(path), _DPI):
                for each in [*frames, *[frames[-1]] * round(fps * _HOLD)]:
                    screen.show(each)
                    writer.grab_frame()
        except (subprocess.CalledProcessError, OSError) as error:
            output = str(getattr(error, "stderr", "") or error).strip().splitlines()
            raise FileError(f"ffmpeg failed to write the film: {output[-1] if output else 'no output'}") from error
        return path.read_bytes()


def _html(screen: Screen, frames: list[Frame], fps: float) -> bytes:
    pillow = library("PIL.Image", "a film", "plot")
    pictures: list[bytes] = []
    for image in screen.images(frames):
        content = BytesIO()
        image.quantize(256, dither=pillow.Dither.NONE).save(content, "PNG", optimize=True)
        pictures.append(content.getvalue())
    title = f"training, epochs {frames[0].epoch} to {frames[-1].epoch}"
    captions = [f"epoch {each.epoch}" for each in frames]
    return player.page(title, pictures, captions, fps, round(_SIZE[0] * _DPI)).encode()
