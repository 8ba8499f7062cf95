import { act, render } from "@testing-library/preact";
import { beforeEach, expect, test } from "vitest";
import { connection, progress } from "../../src/shared/connection";
import { room } from "../../src/shared/fragment";
import { EngineBar } from "../../src/site/EngineBar";
import { hasNewVersion } from "../../src/site/updates";

beforeEach(() => {
  connection.value = "connecting";
  progress.value = null;
  hasNewVersion.value = false;
  room.value = "explore";
});

test("the bar leaves the rooms when the engine is ready, and stays on the start page", async () => {
  progress.value = { text: "Starting Python", percent: 85 };
  const { container, getByRole, queryByText } = render(<EngineBar />);
  expect(getByRole("status").textContent).toBe("Starting Python");
  expect(container.querySelector("progress")!.value).toBe(85);
  await act(() => {
    progress.value = null;
    connection.value = "open";
  });
  expect(container.textContent).toBe("");
  await act(() => {
    room.value = "start";
  });
  expect(queryByText(/^Ready: everything here runs in your browser/)).not.toBeNull();
});

test("a room that needs the engine says what it waits for", () => {
  progress.value = { text: "Starting Python", percent: 85 };
  room.value = "train";
  const { container } = render(<EngineBar />);
  expect(container.textContent).toContain("This room opens as soon as Python has started");
});

test("a new version is announced and does not replace a running page", () => {
  hasNewVersion.value = true;
  const { getByRole } = render(<EngineBar />);
  expect(getByRole("status").textContent).toContain("A new version is available");
  expect(getByRole("button").textContent).toBe("Load it now");
});
