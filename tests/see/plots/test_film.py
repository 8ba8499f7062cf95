"""Films: the frames are the predictions after each epoch, the files can be played, and training is not affected."""

import io
import os
import re
import stat
import sys
from base64 import b64decode
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from closeness import require_close

from adjoint import Film, data, fit, nn
from adjoint.errors import ArgumentError, FileError, MissingExtraError, MissingProgramError
from adjoint.see.plots.film import require_film
from adjoint.see.plots.player import page
from adjoint.training.history import History

X, Y = data.moons(30, noise=0.1, seed=1)


def network(seed: int = 0) -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 4, seed=seed), nn.Tanh(), nn.Linear(4, 2, seed=seed + 1))


def train(film, epochs: int, model=None, **options) -> tuple:
    model = model or network()
    return model, fit(
        model, (X, Y), loss="cross_entropy", lr=0.1, epochs=epochs, progress=False, callbacks=film, **options
    )


@pytest.fixture(scope="module")
def film() -> Film:
    film = Film(X, Y, frames=4)
    train(film, 6)
    return film


# --- frames ---


def test_a_film_has_the_first_and_last_epoch_and_at_most_the_given_number_of_frames():
    model, film, history = network(), Film(X, Y, frames=10), History("loss")
    for epoch in range(1, 101):
        history.add({"loss": 1 / epoch, "lr": 0.1, "seconds": 0.0})
        film(model, history)
        epochs = [frame.epoch for frame in film.frames]
        assert epochs == sorted(set(epochs))
        assert (epochs[0], epochs[-1]) == (1, epoch)
        assert len(epochs) <= 10
        assert len(epochs) >= min(epoch, 5)
        steps = {b - a for a, b in pairwise(epochs[:-1])}
        assert len(steps) <= 1  # evenly spaced, except for the last one


def test_frames_have_the_scores_of_their_epoch():
    film, seen = Film(X, Y), []
    _, history = train([film, lambda model, history: seen.append(model(X).numpy().copy()) or None], 5)
    assert [frame.epoch for frame in film.frames] == [1, 2, 3, 4, 5]
    for frame, scores, loss in zip(film.frames, seen, history["loss"]):
        assert np.array_equal(frame.own, scores)
        assert frame.loss == loss


def test_the_last_epoch_is_shown_even_if_the_best_state_was_restored():
    film, seen = Film(X, Y, frames=2), []
    keep = lambda model, history: seen.append(model(X).numpy().copy()) or (history.epochs == 6)  # noqa: E731
    model, history = train([film, keep], 10, optimizer="sgd")
    model[0].weight.data = model[0].weight.data + 1.0  # later changes do not affect the film
    before = model.state_dict()
    assert history.stopped == "callback"
    assert np.array_equal(film.frames[-1].own, seen[-1])
    assert film.frames[-1].epoch == 6
    assert all(np.array_equal(before[name], x) for name, x in model.state_dict().items())


def test_a_film_does_not_affect_training():
    def model():
        layers = nn.Linear(2, 4, seed=0), nn.BatchNorm1d(4), nn.Dropout(0.3, seed=0), nn.Linear(4, 2, seed=1)
        return nn.Sequential(*layers)

    film = Film(X, Y, frames=3)
    _, filmed = train(film, 7, model(), batch_size=10)
    assert len(film.frames) <= 3
    _, alone = train((), 7, model(), batch_size=10)
    assert filmed["loss"] == alone["loss"]


def test_a_new_training_run_starts_a_new_film_and_a_resumed_one_continues_it(tmp_path):
    film = Film(X, Y)
    train(film, 4)
    model, _ = train(film, 3, network(5), checkpoint=tmp_path / "m.safetensors")
    assert [frame.epoch for frame in film.frames] == [1, 2, 3]
    train(film, 5, model, checkpoint=tmp_path / "m.safetensors", resume=True)
    assert [frame.epoch for frame in film.frames] == [1, 2, 3, 4, 5]
    train(film, 2, model)
    assert [frame.epoch for frame in film.frames] == [1, 2]


def test_scalar_networks_are_filmed_like_networks_of_arrays():
    scalar = nn.MLP(2, [3, 1], seed=0)
    arrays, films = scalar.to_arrays(), [Film(X, Y), Film(X, Y)]
    for model, film in zip((scalar, arrays), films):
        fit(model, (X, 2 * Y - 1), loss="hinge", epochs=2, lr=0.1, progress=False, callbacks=film)
    for one, other in zip(*(film.frames for film in films)):
        require_close(one.scores, other.scores)


def test_a_compiled_training_can_be_filmed():
    film = Film(X, Y, frames=3)
    model, _ = train(film, 4, jit=True)
    assert [frame.epoch for frame in film.frames] == [1, 3, 4]
    require_close(film.frames[-1].own, model(X).numpy())


def test_invalid_data_is_refused_immediately():
    with pytest.raises(ArgumentError, match=r"two columns, not shape \(4, 3\)"):
        Film(np.zeros((4, 3)), np.zeros(4))
    with pytest.raises(ArgumentError, match="frames must be an integer of at least 2, not int 1"):
        Film(X, Y, frames=1)


def test_the_repr_of_a_film_has_its_frames_and_epochs(film):
    assert repr(Film(X, Y)) == "Film(no frames)"
    assert repr(film) == "Film(4 frames, epochs 1 to 6)"


# --- files ---


def test_a_gif_shows_every_frame_and_repeats(film, tmp_path):
    image = pytest.importorskip("PIL.Image")
    film.save(tmp_path / "film.gif", fps=10)
    with image.open(tmp_path / "film.gif") as found:
        assert found.n_frames == len(film.frames) == 4
        assert found.info["loop"] == 0
        pauses, looks = [], []
        for i in range(found.n_frames):
            found.seek(i)
            pauses.append(found.info["duration"])
            looks.append(np.asarray(found.convert("RGB")))
    assert pauses == [100, 100, 100, 2000]
    assert all((look[0, 0] == 255).all() for look in looks)  # paper
    assert all(not np.array_equal(a, b) for a, b in pairwise(looks))
    assert os.listdir(tmp_path) == ["film.gif"]


class Found(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.tags, self.sources, self.title = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.sources += [x for name, x in attrs if name in ("src", "href")]

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "title":
            self.title += data


def test_a_page_is_self_contained(film, tmp_path):
    image = pytest.importorskip("PIL.Image")
    film.save(tmp_path / "film.html")
    text = (tmp_path / "film.html").read_text()
    found = Found(text)
    assert all(source.startswith("data:image/png;base64,") for source in found.sources)
    assert not re.search(r"https?:|@import|url\(", text)
    pictures = re.search(r"const pictures = \[(.*?)\]", text).group(1).split(", ")
    assert len(pictures) == len(film.frames)
    for picture in pictures:
        assert image.open(io.BytesIO(b64decode(picture.strip('"')))).size == (480, 540)
    assert [f"epoch {frame.epoch}" in text for frame in film.frames] == [True] * 4


def test_captions_are_escaped():
    text = page('"><script>alert(1)</script>', [b""], ["</script><b>"], 10, 480)
    found = Found(text)
    assert found.tags.count("script") == 1
    assert "b" not in found.tags
    assert found.title.startswith('"><script>alert(1)</script>')


def test_without_ffmpeg_an_mp4_is_refused_with_the_alternatives(film, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingProgramError, match=r"needs the program ffmpeg.*\.gif or \.html"):
        film.save(tmp_path / "film.mp4")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="a program is a script here")
def test_ffmpeg_receives_every_frame(film, tmp_path, monkeypatch):
    """A script replaces ffmpeg, and writes the number of bytes that it receives."""
    program = tmp_path / "ffmpeg"
    count = "import sys; open(sys.argv[-1], 'w').write(str(len(sys.stdin.buffer.read())))"
    program.write_text(f"#!{sys.executable}\n{count}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    film.save(tmp_path / "film.mp4", fps=5)
    sent = int((tmp_path / "film.mp4").read_text())
    assert sent == 480 * 540 * 4 * (4 + 2 * 5)  # the last frame is repeated for two seconds


def test_a_failure_of_ffmpeg_leaves_no_file(film, tmp_path, monkeypatch):
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\ncat >/dev/null\necho no codec >&2\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(FileError, match=r"ffmpeg.*no codec"):
        film.save(tmp_path / "film.mp4", fps=5)
    assert os.listdir(tmp_path) == ["ffmpeg"]


@pytest.mark.parametrize("name", ["film.avi", "film", "gif"])
def test_unknown_file_suffixes_are_refused(film, tmp_path, name):
    with pytest.raises(ArgumentError, match=r"must end in \.gif, \.mp4 or \.html"):
        film.save(tmp_path / name)


def test_an_invalid_path_or_fps_is_refused_before_rendering(film, tmp_path):
    with pytest.raises(FileError, match="does not exist; create it first"):
        require_film(tmp_path / "nowhere" / "film.gif")
    with pytest.raises(ArgumentError, match="has no frames yet"):
        Film(X, Y).save(tmp_path / "film.gif")
    for fps in (0, -1, 51, float("nan"), "fast"):
        with pytest.raises(ArgumentError, match="fps must be a number above 0 and at most 50"):
            film.save(tmp_path / "film.gif", fps=fps)


def test_without_matplotlib_the_extra_is_named(film, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"a film needs matplotlib.*adjoint-autograd\[plot\]"):
        film.save(tmp_path / "film.gif")


def test_a_diverged_training_can_be_filmed(tmp_path):
    film, model, history = Film(X, Y), network(), History("loss")
    for loss in (0.5, float("nan")):
        model[0].bias.data = np.full(4, loss)
        history.add({"loss": loss, "lr": 0.1, "seconds": 0.0})
        film(model, history)
    film.save(tmp_path / "film.gif")
    assert (tmp_path / "film.gif").read_bytes().startswith(b"GIF89a")
