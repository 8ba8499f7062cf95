"""Record the messages between a page and the rooms, over a WebSocket or to the worker of the static site."""

from typing import Any

from playwright.sync_api import Page

_RECORD = """
window.messages = { sent: [], received: [] };
const recorded = (Transport, send) => class extends Transport {
  constructor(...given) {
    super(...given);
    const record = ({ data }) => typeof data === "string" && messages.received.push(JSON.parse(data));
    this.addEventListener("message", record);
  }
  [send](text) {
    messages.sent.push(JSON.parse(text));
    super[send](text);
  }
};
window.WebSocket = recorded(WebSocket, "send");
window.Worker = recorded(Worker, "postMessage");
"""


def record_messages(page: Page) -> None:
    """Record all messages of a page that is not open yet, as `messages.sent` and `messages.received`."""
    page.add_init_script(_RECORD)


def received(page: Page) -> list[dict[str, Any]]:
    """Return the replies and events that the page has received."""
    return page.evaluate("messages.received")
