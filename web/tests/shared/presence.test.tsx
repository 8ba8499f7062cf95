import { signal } from "@preact/signals";
import { fireEvent, render } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import { usePresence } from "../../src/shared/presence";

function setUp() {
  const room = { open: vi.fn(() => leave), playing: signal(false), pause: vi.fn(), keys: { s: vi.fn(), " ": vi.fn() } };
  const leave = vi.fn();
  function Room() {
    usePresence(room);
    return (
      <>
        <input />
        <button type="button">press</button>
        <p>text</p>
      </>
    );
  }
  return { ...room, leave, ...render(<Room />) };
}

test("keys work in the room, in upper case as well", () => {
  const { keys, container } = setUp();
  fireEvent.keyDown(container.querySelector("p")!, { key: "S" });
  expect(keys.s).toHaveBeenCalledTimes(1);
});

test("keys are ignored in text fields, with modifiers, and where they press a button", () => {
  const { keys, container } = setUp();
  fireEvent.keyDown(container.querySelector("input")!, { key: "s" });
  fireEvent.keyDown(container.querySelector("p")!, { key: "s", ctrlKey: true });
  fireEvent.keyDown(container.querySelector("button")!, { key: " " });
  expect(keys.s).not.toHaveBeenCalled();
  expect(keys[" "]).not.toHaveBeenCalled();
});

test("a room that plays pauses when the user leaves it, and its keys stop", () => {
  const { keys, leave, pause, playing, unmount } = setUp();
  playing.value = true;
  unmount();
  expect(leave).toHaveBeenCalledTimes(1);
  expect(pause).toHaveBeenCalledTimes(1);
  fireEvent.keyDown(document.body, { key: "s" });
  expect(keys.s).not.toHaveBeenCalled();
});
