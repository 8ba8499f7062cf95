import { render } from "@testing-library/preact";
import { beforeEach, expect, test } from "vitest";
import { room } from "../../src/shared/fragment";
import { EngineBar } from "../../src/site/EngineBar";
import { describeProgress, type EngineProgress, engineProgress, shareOf } from "../../src/site/progress";
import { hasNewVersion } from "../../src/site/updates";

beforeEach(() => {
  engineProgress.value = { stage: "waiting" };
  hasNewVersion.value = false;
  room.value = "explore";
});

test("the progress says what is happening", () => {
  expect(describeProgress({ stage: "downloading", loaded: 3.1e6, total: 6.3e6 })).toBe(
    "Downloading Python, 3.1 of 6.3 MB",
  );
  expect(describeProgress({ stage: "ready" })).toBe("Ready: everything here runs in your browser");
});

test("the share never goes back", () => {
  const way: EngineProgress[] = [
    { stage: "waiting" },
    { stage: "downloading", loaded: 0, total: 10 },
    { stage: "downloading", loaded: 20, total: 10 },
    { stage: "starting" },
    { stage: "loading" },
    { stage: "ready" },
  ];
  const shares = way.map(shareOf);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(shares.at(-1)).toBe(1);
});

test("the bar leaves the rooms when the engine is ready, and stays on the start page", () => {
  engineProgress.value = { stage: "starting" };
  const { container, getByRole, queryByText } = render(<EngineBar />);
  expect(getByRole("status").textContent).toBe("Starting Python");
  expect(container.querySelector("progress")!.value).toBe(0.75);
  engineProgress.value = { stage: "ready" };
  return Promise.resolve().then(() => {
    expect(queryByText(/Ready/)).toBeNull();
    room.value = "start";
    return Promise.resolve().then(() => expect(queryByText(/Ready/)).not.toBeNull());
  });
});

test("a new version is announced and does not replace a running page", () => {
  hasNewVersion.value = true;
  const { getByRole } = render(<EngineBar />);
  expect(getByRole("status").textContent).toContain("A new version is available");
  expect(getByRole("button").textContent).toBe("Load it now");
});
