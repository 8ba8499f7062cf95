"""Explore in a notebook: `value.explore()` shows the graph of a Value, its steps, and sliders for its inputs.

The front-end is the file that the page of the lab loads. Sliders recompute a copy: the Values of the notebook do not
change. The display has a picture of the graph too, for a saved notebook on GitHub or in HTML, where no kernel runs.
"""

from collections.abc import Mapping
from typing import Any

from adjoint import Value, draw, guards
from adjoint.errors import AdjointError, ArgumentError, library, unknown_name_error
from adjoint_lab.export import asset, page_of
from adjoint_lab.replay import Replay
from adjoint_lab.rooms.explore import MAX_INPUT, nudge
from adjoint_lab.scenes import Scene, scene_of
from adjoint_lab.serve import messages
from adjoint_lab.serve.messages import Message

MAX_NODES = 300

_anywidget = library("anywidget", "value.explore()", "notebook")
_traitlets = library("traitlets", "value.explore()", "notebook")


class Exploration(_anywidget.AnyWidget):
    """A graph in a notebook. `numbers` holds the positions of its sliders, and can also be set from Python."""

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
        if self._replay.size > MAX_NODES:
            raise ArgumentError(
                f"the graph has {self._replay.size:,} nodes, and explore() shows at most {MAX_NODES}; use "
                "print(adjoint.explain(value)) for its steps, or adjoint.draw(value) for the nodes near the result"
            )
        super().__init__(numbers=self._replay.inputs, scene=self._scene(root))
        self.observe(self._on_numbers, "numbers")
        self.on_msg(self._on_message)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, about = super()._repr_mimebundle_(**options)
        if not self.error:
            root = self._replay(self._current_numbers())
            with guards(missing_history=False):  # the result may be an input
                root.backward()
            data |= {"text/plain": str(draw(root)), "image/svg+xml": str(draw(root, "svg"))}
        return data, about

    def _scene(self, root: Value) -> Scene:
        return scene_of(root, self._replay.inputs)

    def _on_numbers(self, change: Mapping[str, object]) -> None:
        try:
            self.scene, self.error = self._scene(self._replay(self._current_numbers())), ""
        except AdjointError as error:
            self.error = str(error)

    def _current_numbers(self) -> dict[str, float]:
        known = self._replay.inputs
        return {name: messages.number(self.numbers, name, -MAX_INPUT, MAX_INPUT, x) for name, x in known.items()}

    def _on_message(self, widget: object, message: Any, buffers: object) -> None:
        """Answer a message of the front-end, as the room of the lab does."""
        number = message.get("id") if isinstance(message, dict) else None
        try:
            self.send({"id": number, "ok": self._answer(message)})
        except AdjointError as error:
            self.send({"id": number, "error": str(error)})

    def _answer(self, message: Message) -> Mapping[str, object]:
        do = messages.one_of(message, "do", ["nudge", "export"])
        if do == "export":
            return {"html": page_of(self.scene, self.title or "adjoint", self.at)}
        name = messages.text(message, "name", 200)
        if name not in self._replay.inputs:
            raise unknown_name_error("input", name, self._replay.inputs)
        h = messages.number(message, "h", -MAX_INPUT, MAX_INPUT)
        return nudge(self._replay, self._current_numbers(), name, h)
