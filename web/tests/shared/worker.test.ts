import { beforeEach, describe, expect, test, vi } from "vitest";

class FakeWorker {
  static all: FakeWorker[] = [];
  static get last(): FakeWorker {
    return FakeWorker.all.at(-1)!;
  }
  sent: { room: string; do: string; id: number }[] = [];
  isTerminated = false;
  onmessage?: (event: { data: unknown }) => void;
  onerror?: (event: { message: string; preventDefault: () => void }) => void;
  constructor(
    public url: URL,
    public options: WorkerOptions,
  ) {
    FakeWorker.all.push(this);
  }
  postMessage(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  terminate(): void {
    this.isTerminated = true;
  }
  receive(data: unknown): void {
    this.onmessage?.({ data });
  }
  answer(message: unknown): void {
    this.receive(JSON.stringify(message));
  }
}

async function load() {
  vi.resetModules();
  vi.doMock("adjoint-transport", () => import("../../src/shared/transports/worker"));
  FakeWorker.all = [];
  return import("../../src/shared/connection");
}

beforeEach(() => {
  vi.stubGlobal("Worker", FakeWorker);
  return () => {
    vi.doUnmock("adjoint-transport");
    vi.unstubAllGlobals();
  };
});

describe("starting", () => {
  test("Python is loaded by the first request, and requests wait until it is ready, in order", async () => {
    const { ask, connection } = await load();
    expect(FakeWorker.all).toHaveLength(0);
    const first = ask("explore", "presets");
    void ask("quiz", "list");
    expect(FakeWorker.all).toHaveLength(1);
    expect(FakeWorker.last.options).toEqual({ type: "module" });
    expect(connection.value).toBe("connecting");
    expect(FakeWorker.last.sent).toEqual([]);
    FakeWorker.last.receive({ kind: "ready" });
    expect(connection.value).toBe("open");
    expect(FakeWorker.last.sent.map((request) => `${request.room}.${request.do}`)).toEqual([
      "explore.presets",
      "quiz.list",
    ]);
    FakeWorker.last.answer({ id: FakeWorker.last.sent[0]!.id, ok: { presets: [] } });
    await expect(first).resolves.toEqual({ presets: [] });
  });

  test("a page can load Python before the first request, once", async () => {
    const { ask, connect } = await load();
    connect();
    connect();
    void ask("explore", "presets");
    expect(FakeWorker.all).toHaveLength(1);
  });

  test("the progress is shown until Python is ready", async () => {
    const { connect, progress } = await load();
    connect();
    FakeWorker.last.receive({ kind: "progress", text: "downloading Python", percent: 40 });
    expect(progress.value).toMatchObject({ text: "downloading Python", percent: 40 });
    FakeWorker.last.receive({ kind: "ready" });
    expect(progress.value).toBeNull();
  });
});

describe("failures", () => {
  test("what failed is shown, and requests fail with the same text", async () => {
    const { ask, connection, Disconnected, progress } = await load();
    const waiting = ask("explore", "presets");
    FakeWorker.last.receive({ kind: "progress", text: "downloading Python", percent: 40 });
    const text = "Python could not be started (no network). Check the network connection, then reload the page.";
    FakeWorker.last.receive({ kind: "failure", text });
    await expect(waiting).rejects.toThrow(text);
    expect(connection.value).toBe(text);
    expect(progress.value).toBeNull();
    await expect(ask("explore", "presets")).rejects.toBeInstanceOf(Disconnected);
    expect(FakeWorker.all).toHaveLength(1);
  });

  test("a worker that cannot be loaded is explained", async () => {
    const { connect, connection } = await load();
    connect();
    FakeWorker.last.onerror?.({ message: "", preventDefault: () => undefined });
    expect(connection.value).toContain("could not be loaded. Check the network connection");
  });

  test("if Python stops later, it is started again and the rooms restore what they show", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { ask, connection, Disconnected, onReconnect } = await load();
    const restore = vi.fn();
    onReconnect(restore);
    const first = ask("explore", "presets");
    FakeWorker.last.receive({ kind: "ready" });
    FakeWorker.last.receive({ kind: "failure", text: "RuntimeError: memory access out of bounds" });
    await expect(first).rejects.toBeInstanceOf(Disconnected);
    expect(FakeWorker.all.map((worker) => worker.isTerminated)).toEqual([true, false]);
    expect(connection.value).toBe("connecting");
    FakeWorker.last.receive({ kind: "ready" });
    expect(connection.value).toBe("open");
    expect(restore).toHaveBeenCalledTimes(1);
  });

  test("if Python stops again and again, the page says so", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { connect, connection } = await load();
    connect();
    for (let i = 0; i < 4; i++) {
      FakeWorker.last.receive({ kind: "ready" });
      FakeWorker.last.receive({ kind: "failure", text: "out of memory" });
    }
    expect(FakeWorker.all).toHaveLength(4);
    expect(connection.value).toContain("stopped several times (out of memory). Reload the page");
  });
});
