"""Explore in a notebook: `value.explore()` shows the graph of a Value, its steps, and sliders for its numbers.

The front-end is the file that the page of the lab loads. What is moved is computed on a copy: the Values of the
notebook stay as they are.
"""

from collections.abc import Mapping
from typing import Any

from adjoint.engine.value import Value
from adjoint.errors import AdjointError, ArgumentError
from adjoint.errors.optional import library
from adjoint.errors.suggest import unknown
from adjoint.lab.export import asset, page_of
from adjoint.lab.replay import Replay
from adjoint.lab.rooms.explore import MOST, nudged
from adjoint.lab.scenes import scene_of
from adjoint.lab.serve import messages

MOST_NODES = 300

_anywidget = library("anywidget", "value.explore()", "notebook")
_traitlets = library("traitlets", "value.explore()", "notebook")


class Exploration(_anywidget.AnyWidget):
    """A graph in a notebook. `numbers` holds what its sliders stand at, and may be set from Python as well."""

    _esm = asset("explore.js")
    _css = asset("explore.css")
    kind = _traitlets.Unicode("widget").tag(sync=True)
    title = _traitlets.Unicode("").tag(sync=True)
    scene = _traitlets.Dict().tag(sync=True)
    numbers = _traitlets.Dict().tag(sync=True)
    error = _traitlets.Unicode("").tag(sync=True)
    at = _traitlets.Int(None, allow_none=True).tag(sync=True)
    speed = _traitlets.Float(1.0).tag(sync=True)
    gradients = _traitlets.Bool(True).tag(sync=True)
    nudge = _traitlets.Unicode("").tag(sync=True)
    h = _traitlets.Unicode("0.01").tag(sync=True)

    def __init__(self, root: Value):
        self._replay = Replay(root)
        if self._replay.size > MOST_NODES:
            raise ArgumentError(
                f"the graph has {self._replay.size:,} nodes, and {MOST_NODES} are the most that can be explored one by "
                "one; print(adjoint.explain(value)) tells its steps, adjoint.draw(value) draws those near the result"
            )
        super().__init__(numbers=self._replay.inputs, scene=self._scene(root))
        self.observe(self._moved, "numbers")
        self.on_msg(self._asked)

    def _scene(self, root: Value) -> dict[str, Any]:
        return scene_of(root, self._replay.inputs)

    def _moved(self, change: Mapping[str, Any]) -> None:
        try:
            self.scene, self.error = self._scene(self._replay(self._given())), ""
        except AdjointError as error:
            self.error = str(error)

    def _given(self) -> dict[str, float]:
        known = self._replay.inputs
        return {name: messages.number(self.numbers, name, -MOST, MOST, x) for name, x in known.items()}

    def _asked(self, widget: Any, message: dict[str, Any], buffers: Any) -> None:
        """Answer a message of the front-end, as the room of the lab does."""
        number = message.get("id") if isinstance(message, dict) else None
        try:
            self.send({"id": number, "ok": self._answer(message)})
        except AdjointError as error:
            self.send({"id": number, "error": str(error)})

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        do = messages.one_of(message, "do", ["nudge", "export"])
        if do == "export":
            return {"html": page_of(self.scene, self.title or "adjoint", self.at)}
        name = messages.text(message, "name", 200)
        if name not in self._replay.inputs:
            raise unknown("input", name, self._replay.inputs)
        return nudged(self._replay, self._given(), name, messages.number(message, "h", -MOST, MOST))
