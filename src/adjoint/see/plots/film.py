"""A film of training: the boundary of a model, epoch after epoch, as a GIF, an MP4 or a web page that plays it.

film = Film(X, y)
fit(model, (X, y), …, callbacks=film)
film.save("moons.gif")
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from adjoint.errors import ArgumentError, FileError, MissingProgramError
from adjoint.errors.given import described, is_number, whole
from adjoint.errors.optional import library
from adjoint.files import atomic
from adjoint.see.drawing.palette import CLASSES, GRID, INK
from adjoint.see.plots import player
from adjoint.see.plots.boundaries import Plane, Points, at_once, draw_points, draw_rings, fill, frame, scores_of
from adjoint.see.plots.canvas import bare_figure, tidy
from adjoint.see.plots.curves import is_steep
from adjoint.training.history import History
from adjoint.training.snapshots import Snapshot

FORMATS = (".gif", ".mp4", ".html")
_FINE, _COARSE = 120, 40  # points along each side: fewer than in one picture, for a film has many
_SIZE, _DPI = (4.8, 5.4), 100
_HOLD = 2.0  # seconds that the last picture of a GIF stays before it begins again


class Frame(NamedTuple):
    """What a model said after an epoch: of each place of the plane, and of each point."""

    epoch: int
    loss: float
    scores: np.ndarray
    own: np.ndarray


class Film:
    """A callback of `fit` that keeps what the model says of the plane, and makes a film of it.

    The film has at most so many `frames`: every epoch is kept until there are more, then every second, every fourth
    and so on; the last epoch always is. What is filmed is computed in evaluation mode and changes nothing.

    >>> from adjoint import data, fit, nn
    >>> X, y = data.moons(40)
    >>> film = Film(X, y, frames=10)
    >>> model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 2, seed=1))
    >>> history = fit(model, (X, y), loss="cross_entropy", epochs=25, progress=False, callbacks=film)
    >>> film
    Film(7 frames, epochs 1 to 25)
    """

    def __init__(self, X: Any, y: Any, *, frames: int = 60):
        self._points = Points(X, y)
        self.most = whole(frames, "frames", least=2)
        self._begin(None)

    def _begin(self, model: Any) -> None:
        self._model = model
        self._plane = self._points.plane(_FINE if model is None or at_once(model) is not None else _COARSE)
        self._kept: list[Frame] = []
        self._every = 1
        self._losses: list[float] = []
        self._waiting: Snapshot | None = None  # of an epoch that was passed over, in case it is the last one
        self._last: Frame | None = None  # of that one

    def __call__(self, model: Any, history: History) -> None:
        """Keep the boundary after an epoch, if it is its turn."""
        if model is not self._model or history.epochs <= len(self._losses):
            self._begin(model)  # another training, another film
        self._losses, self._last = history["loss"], None
        while self._is_turn() and len(self._kept) >= self.most - (self._every > 1):  # the last epoch needs one as well
            self._every *= 2
            self._kept = [x for i, x in enumerate(self._kept) if i == 0 or (x.epoch - 1) % self._every == 0]
        if self._is_turn():
            self._kept.append(self._seen())
            self._waiting = None
        else:
            self._waiting = self._waiting or _snapshot(model)
            self._waiting.keep()

    def _is_turn(self) -> bool:
        return not self._kept or (len(self._losses) - 1) % self._every == 0

    def _seen(self) -> Frame:
        scores = scores_of(self._model, self._plane.places).astype(np.float32)
        return Frame(len(self._losses), self._losses[-1], scores, scores_of(self._model, self._points.X))

    @property
    def frames(self) -> list[Frame]:
        """What was kept, epoch after epoch, and the last epoch."""
        if self._waiting is None:
            return list(self._kept)
        if self._last is None:
            now = _snapshot(self._model)
            now.keep()
            try:
                self._waiting.restore()
                self._last = self._seen()
            finally:
                now.restore()
        return [*self._kept, self._last]

    def save(self, path: str | os.PathLike, *, fps: float = 12.0) -> None:
        """Write the film to a .gif, .mp4 or .html file, at so many pictures a second; an .mp4 needs ffmpeg."""
        ending = require_film(path)
        if not is_number(fps) or not 0 < fps <= 50:
            raise ArgumentError(f"fps is a number above 0 and up to 50, pictures a second, not {described(fps)}")
        if not self._kept:
            raise ArgumentError("nothing was filmed yet: fit(…, callbacks=film) does that")
        make = {".gif": _gif, ".mp4": _mp4, ".html": _html}[ending]
        atomic.write(path, make(Screen(self._points, self._plane, self._losses), self.frames, float(fps)))

    def __repr__(self) -> str:
        if not self._kept:
            return "Film(nothing yet)"
        count = len(self._kept) + (self._waiting is not None)
        return f"Film({count} frames, epochs {self._kept[0].epoch} to {len(self._losses)})"


def _snapshot(model: Any) -> Snapshot:
    return Snapshot(model, model.parameters(), compiled=False)


def require_film(path: str | os.PathLike) -> str:
    """Return the ending of a file that a film can be written to; raise if it could not be written now."""
    ending = atomic.as_path(path).suffix.lower()
    if ending not in FORMATS:
        raise ArgumentError(f"a film is written to a .gif, .mp4 or .html file, not to {os.fspath(path)!r}")
    library("matplotlib", "a film", "plot")
    if ending == ".mp4" and shutil.which("ffmpeg") is None:
        raise MissingProgramError("an .mp4 film needs the program ffmpeg, which is not installed; take .gif or .html")
    atomic.require_writable(path)
    return ending


# --- pictures, and what is made of them ---


class Screen:
    """A figure that shows one frame after another: the boundary, and below it how far the loss has come."""

    def __init__(self, points: Points, plane: Plane, losses: list[float]):
        self.figure = bare_figure(_SIZE, dpi=_DPI)
        self._points, self._plane, self._losses = points, plane, losses
        self._ax = self.figure.add_axes((0.025, 0.225, 0.95, 0.72))  # fixed: nothing moves but the boundary
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
        """Draw a frame in the place of the one before."""
        for drawn in self._filled:
            drawn.remove()
        self._filled = fill(self._ax, self._plane, now.scores)
        wrong = self._points.wrong(now.own)
        self._rings.set_offsets(self._points.X[wrong])
        self._line.set_data(range(1, now.epoch + 1), self._losses[: now.epoch])
        self._dot.set_data([now.epoch], [now.loss])
        words = f"epoch {now.epoch}   loss {now.loss:.4g}   {np.mean(~wrong):.1%} right"
        self._ax.set_title(words, fontsize=10, color=INK, loc="left")

    def images(self, frames: list[Frame]) -> Iterator[Any]:
        """Yield the frames as images of Pillow, which matplotlib brings."""
        image = library("PIL.Image", "a film", "plot")
        for each in frames:
            self.show(each)
            self.figure.canvas.draw()
            yield image.fromarray(np.asarray(self.figure.canvas.buffer_rgba())).convert("RGB")


def _gif(screen: Screen, frames: list[Frame], fps: float) -> bytes:
    images = list(screen.images(frames))
    palette = _common_palette(images)
    first, *others = [_reduced(image, palette) for image in images]
    content = BytesIO()
    pauses = [round(1000 / fps)] * len(others) + [round(1000 * _HOLD)]
    first.save(content, "GIF", save_all=True, append_images=others, duration=pauses, loop=0)
    return content.getvalue()


def _common_palette(images: list) -> Any:
    """Return 256 colours that fit all images, white the last: with their own, what stands still would flicker."""
    chosen = images[:: max(1, len(images) // 8)]
    width, height = images[0].size
    sheet = images[0].resize((width, height * len(chosen)))
    for i, image in enumerate(chosen):
        sheet.paste(image, (0, i * height))
    palette = sheet.quantize(255)
    colours = palette.getpalette()
    palette.putpalette([*colours, *[255] * (3 * 256 - len(colours))])
    return palette


def _reduced(image: Any, palette: Any) -> Any:
    """Return an image in the colours of a palette; its white stays white, which the nearest colour may not be."""
    reduced = image.quantize(palette=palette, dither=0)
    white = np.asarray(image).min(2) == 255
    reduced.paste(255, None, library("PIL.Image", "a film", "plot").fromarray(white))
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
            said = str(getattr(error, "stderr", "") or error).strip().splitlines()
            raise FileError(f"ffmpeg could not make the film: {said[-1] if said else 'it says nothing'}") from error
        return path.read_bytes()


def _html(screen: Screen, frames: list[Frame], fps: float) -> bytes:
    pictures = []
    for image in screen.images(frames):
        content = BytesIO()
        image.quantize(256, dither=0).save(content, "PNG", optimize=True)
        pictures.append(content.getvalue())
    title = f"training, epochs {frames[0].epoch} to {frames[-1].epoch}"
    words = [f"epoch {each.epoch}" for each in frames]
    return player.page(title, pictures, words, fps, round(_SIZE[0] * _DPI)).encode()
