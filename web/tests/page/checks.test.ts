import { beforeEach, describe, expect, test, vi } from "vitest";
import { Checks } from "../../src/page/checks";

class FakeWorker {
  sent: string[] = [];
  isTerminated = false;
  onmessage?: (event: { data: unknown }) => void;
  onerror?: (event: { message: string; preventDefault: () => void }) => void;
  postMessage(text: string): void {
    this.sent.push(text);
  }
  terminate(): void {
    this.isTerminated = true;
  }
  receive(data: unknown): void {
    this.onmessage?.({ data });
  }
}

let workers: FakeWorker[];
let checks: Checks;
const last = () => workers.at(-1)!;
const report = (changed = false) => ({ kind: "report", text: JSON.stringify({ changed }) });

beforeEach(() => {
  vi.useFakeTimers();
  workers = [];
  checks = new Checks(() => {
    workers.push(new FakeWorker());
    return last() as unknown as Worker;
  });
  return () => vi.useRealTimers();
});

/** Start a check in a worker that is ready. */
function start(request = "program"): Promise<unknown> {
  const answer = checks.run(request, 40).then(JSON.parse);
  last().receive({ kind: "ready" });
  return answer;
}

describe("a check", () => {
  test("waits for Python, which may have been started before", async () => {
    checks.prepare();
    const answer = checks.run("program", 40).then(JSON.parse);
    expect(last().sent).toEqual([]);
    last().receive({ kind: "ready" });
    expect(last().sent).toEqual(["program"]);
    last().receive(report());
    await expect(answer).resolves.toEqual({ report: '{"changed":false}', printed: "" });
    void checks.run("next", 40);
    expect(last().sent).toEqual(["program", "next"]);
    expect(workers).toHaveLength(1);
  });

  test("keeps what the program printed, up to a limit", async () => {
    const answer = start();
    last().receive({ kind: "printed", text: "hello\n" });
    for (let i = 0; i < 100; i++) last().receive({ kind: "printed", text: "x".repeat(10_000) });
    last().receive(report());
    const { printed } = (await answer) as { printed: string };
    expect(printed.slice(0, 8)).toBe("hello\nxx");
    expect(printed.length).toBeLessThan(100_000);
  });
});

describe("Python is started again", () => {
  test("when the program is killed", async () => {
    const answer = start("endless");
    checks.kill();
    await expect(answer).resolves.toEqual({ report: null, printed: "" });
    expect(workers.map((worker) => worker.isTerminated)).toEqual([true, false]);
    const next = checks.run("next", 40).then(JSON.parse);
    last().receive({ kind: "ready" });
    expect(last().sent).toEqual(["next"]);
    last().receive(report());
    await expect(next).resolves.toMatchObject({ printed: "" });
  });

  test("when the time is over", async () => {
    const answer = start("endless");
    vi.advanceTimersByTime(39_999);
    expect(workers).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await expect(answer).resolves.toEqual({ report: null, late: true, printed: "" });
    expect(workers.map((worker) => worker.isTerminated)).toEqual([true, false]);
  });

  test.each([
    [
      { kind: "end", exit: 3 },
      { report: null, exit: 3, printed: "" },
    ],
    [
      { kind: "end", crash: "out of memory" },
      { report: null, crash: "out of memory", printed: "" },
    ],
    [report(true), { report: '{"changed":true}', printed: "" }],
  ])("after %o", async (message, expected) => {
    const answer = start();
    last().receive(message);
    await expect(answer).resolves.toEqual(expected);
    expect(workers.map((worker) => worker.isTerminated)).toEqual([true, false]);
  });

  test("but not for a program that still waits for Python when it is killed", async () => {
    const answer = checks.run("program", 40).then(JSON.parse);
    checks.kill();
    await expect(answer).resolves.toEqual({ report: null, printed: "" });
    last().receive({ kind: "ready" });
    expect(last().sent).toEqual([]);
    expect(workers).toHaveLength(1);
  });
});

test("if Python cannot be started, the check fails and the next one tries again", async () => {
  const answer = checks.run("program", 40);
  last().receive({ kind: "failure", text: "adjoint.tar.gz could not be downloaded" });
  await expect(answer).rejects.toThrow("adjoint.tar.gz could not be downloaded");
  expect(workers).toHaveLength(1);
  void start();
  expect(workers).toHaveLength(2);
  expect(last().sent).toEqual(["program"]);
});
