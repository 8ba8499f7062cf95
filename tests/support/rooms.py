"""A room without a server: send it messages, and wait for its events."""

import json
import queue
from typing import Any


class Page:
    """A page as a room sees it."""

    def __init__(self, kind: type):
        self.events: queue.Queue[dict[str, Any]] = queue.Queue()
        self.room = kind(self._push)

    def _push(self, event: dict[str, Any], key: str) -> None:
        assert key == f"{event['room']}.{event['event']}"
        self.events.put(json.loads(json.dumps(event, allow_nan=False)))

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Send a message, and return the answer as a page reads it."""
        return json.loads(json.dumps(self.room.handle(do, {"do": do, **fields}), allow_nan=False))

    def wait(self, event: str = "snapshot", **fields: Any) -> dict[str, Any]:
        """Wait for the next event of a kind with these fields, and return it."""
        while True:
            found = self.events.get(timeout=600)
            if found["event"] == event and all(found[name] == x for name, x in fields.items()):
                return found

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.room.close()
