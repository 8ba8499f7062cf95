import { beforeEach, describe, expect, test, vi } from "vitest";

class FakeWebSocket {
  static OPEN = 1;
  static all: FakeWebSocket[] = [];
  static get last(): FakeWebSocket {
    return FakeWebSocket.all.at(-1)!;
  }
  readyState = 0;
  sent: string[] = [];
  onopen?: () => void;
  onclose?: (event: { reason: string }) => void;
  onmessage?: (event: { data: string }) => void;
  constructor(
    public url: URL,
    public protocols: string[],
  ) {
    FakeWebSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(text);
  }
  open(): void {
    this.readyState = FakeWebSocket.OPEN;
    this.onopen?.();
  }
  close(reason = ""): void {
    this.readyState = 3;
    this.onclose?.({ reason });
  }
  receive(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  get requests(): { id: number; room: string; do: string; [field: string]: unknown }[] {
    return this.sent.map((text) => JSON.parse(text));
  }
}

async function load(token = "secret") {
  vi.resetModules();
  localStorage.clear();
  if (token) localStorage.setItem("adjoint.lab.token", token);
  history.replaceState(null, "", "/lab/#explore");
  FakeWebSocket.all = [];
  return import("../../src/shared/connection");
}

beforeEach(() => {
  vi.stubGlobal("WebSocket", FakeWebSocket);
  vi.useFakeTimers();
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

describe("connecting", () => {
  test("the token is sent as a subprotocol, not in the URL", async () => {
    await load();
    expect(String(FakeWebSocket.last.url)).toBe("ws://localhost:8000/lab/socket");
    expect(FakeWebSocket.last.protocols).toEqual(["adjoint", "secret"]);
  });

  test("without a token nothing connects, requests fail, and the page says why", async () => {
    const { ask, connection, Disconnected } = await load("");
    expect(FakeWebSocket.all).toHaveLength(0);
    expect(connection.value).toContain("no token");
    await expect(ask("explore", "presets")).rejects.toBeInstanceOf(Disconnected);
  });

  test("requests wait for the connection to open, in order", async () => {
    const { ask, connection } = await load();
    void ask("explore", "presets");
    void ask("quiz", "next", { seed: 3 });
    expect(FakeWebSocket.last.sent).toEqual([]);
    FakeWebSocket.last.open();
    expect(connection.value).toBe("open");
    expect(FakeWebSocket.last.requests.map((request) => [request.room, request.do])).toEqual([
      ["explore", "presets"],
      ["quiz", "next"],
    ]);
    expect(FakeWebSocket.last.requests[1]!.seed).toBe(3);
  });

  test("a lost connection rejects open requests and is opened again", async () => {
    const { ask, connection, Disconnected, onReconnect } = await load();
    const restore = vi.fn();
    onReconnect(restore);
    FakeWebSocket.last.open();
    const request = ask("train", "step");
    FakeWebSocket.last.close();
    await expect(request).rejects.toBeInstanceOf(Disconnected);
    expect(connection.value).toBe("connecting");
    vi.advanceTimersByTime(5000);
    expect(FakeWebSocket.all).toHaveLength(2);
    expect(restore).not.toHaveBeenCalled();
    FakeWebSocket.last.open();
    expect(restore).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["the page is served: the token is wrong", () => Promise.resolve({ ok: true }), "token of an earlier lab"],
    ["the page is not served: the lab is gone", () => Promise.reject(new Error()), "The lab does not answer"],
  ])("after a second failure, %s", async (_, answer, message) => {
    vi.stubGlobal("fetch", answer);
    const { connection } = await load();
    FakeWebSocket.last.close();
    vi.advanceTimersByTime(5000);
    FakeWebSocket.last.close();
    await vi.waitFor(() => expect(connection.value).toContain(message));
  });

  test("the reason that the server gives is shown", async () => {
    const { connection } = await load();
    FakeWebSocket.last.close();
    vi.advanceTimersByTime(5000);
    FakeWebSocket.last.close("too many pages are open");
    expect(connection.value).toBe("too many pages are open");
  });
});

describe("answers", () => {
  test("each answer settles its own request", async () => {
    const { ask } = await load();
    FakeWebSocket.last.open();
    const [first, second] = [ask("explore", "a"), ask("explore", "b")];
    const [one, two] = FakeWebSocket.last.requests.map(({ id }) => id);
    FakeWebSocket.last.receive({ id: two, ok: { x: 2 } });
    FakeWebSocket.last.receive({ id: one, error: "unknown name q" });
    await expect(second).resolves.toEqual({ x: 2 });
    await expect(first).rejects.toThrow("unknown name q");
  });

  test("where the newest wins, an answer drops older requests of the same command only", async () => {
    const { ask } = await load();
    FakeWebSocket.last.open();
    const settled: string[] = [];
    const note = (name: string) => (promise: Promise<unknown>) => void promise.then(() => settled.push(name));
    note("old")(ask("explore", "move", {}, true));
    note("other command")(ask("explore", "set", {}, true));
    note("new")(ask("explore", "move", {}, true));
    const ids = FakeWebSocket.last.requests.map(({ id }) => id);
    FakeWebSocket.last.receive({ id: ids[2], ok: {} });
    FakeWebSocket.last.receive({ id: ids[0], ok: {} });
    FakeWebSocket.last.receive({ id: ids[1], ok: {} });
    await vi.waitFor(() => expect(settled).toHaveLength(2));
    expect(settled).toEqual(["new", "other command"]);
  });

  test("a message beyond the limit of the server is refused here", async () => {
    const { ask } = await load();
    FakeWebSocket.last.open();
    await expect(ask("train", "csv", { text: "1".repeat(300_000) })).rejects.toThrow("too large");
    expect(FakeWebSocket.last.sent).toEqual([]);
  });
});

test("events reach the listeners of their room until they unsubscribe", async () => {
  const { onEvent } = await load();
  const [train, quiz] = [vi.fn(), vi.fn()];
  const leave = onEvent("train", train);
  onEvent("quiz", quiz);
  FakeWebSocket.last.open();
  FakeWebSocket.last.receive({ room: "train", event: "snapshot", step: 4 });
  expect(train).toHaveBeenCalledWith({ room: "train", event: "snapshot", step: 4 });
  expect(quiz).not.toHaveBeenCalled();
  leave();
  FakeWebSocket.last.receive({ room: "train", event: "snapshot", step: 5 });
  expect(train).toHaveBeenCalledTimes(1);
});
