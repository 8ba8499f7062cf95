import { beforeEach, expect, test, vi } from "vitest";
import { fakeConnection, visit } from "./fakeConnection";

let socket: ReturnType<typeof fakeConnection>;
const state = (fields: object = {}) => ({
  run: 1,
  mistake: "unzeroed",
  seed: 0,
  on: true,
  playing: true,
  most: 300,
  ...fields,
});

async function open(hash = "#mistakes") {
  visit(hash);
  vi.doMock("../../src/shared/connection", () => socket.module);
  const room = await import("../../src/rooms/mistakes/room");
  room.open();
  await socket.last("list").answer({ mistakes: [{ name: "unzeroed", title: "Gradients not zeroed" }] });
  return room;
}

beforeEach(() => {
  socket = fakeConnection();
});

test("opens with the mistake of the address", async () => {
  await open("#mistakes?mistake=dead&seed=3&on=no");
  expect(socket.last("choose").fields).toEqual({ mistake: "dead", seed: 3, on: false });
});

test("an unknown mistake falls back to the default, and the message stays", async () => {
  const room = await open("#mistakes?mistake=nonsense");
  await socket.last("choose").fail(new Error("there is no mistake nonsense"));
  expect(socket.last("choose").fields).toEqual({ mistake: "unzeroed" });
  await socket.last("choose").answer(state());
  expect(room.state.value?.mistake).toBe("unzeroed");
  expect(room.error.value).toBe("there is no mistake nonsense");
});

test("a snapshot that overtakes its state is shown once the state arrives", async () => {
  const room = await open();
  socket.push("mistakes", { event: "snapshot", run: 1, step: 5, playing: true });
  expect(room.snapshot.value).toBeNull();
  await socket.last("choose").answer(state());
  expect(room.snapshot.value?.step).toBe(5);
});

test("Play after the last step starts over", async () => {
  const room = await open();
  await socket.last("choose").answer(state());
  socket.push("mistakes", { event: "snapshot", run: 1, step: 300, playing: false });
  void room.play();
  expect(socket.last("play")).toBeUndefined();
  await socket.last("reset").answer(state({ run: 2, playing: false }));
  await socket.last("play").answer({});
  expect(room.playing.value).toBe(true);
});

test("computes the maps of both networks from their weights", async () => {
  const room = await open();
  const networks = {
    healthy: { activations: ["tanh"], mean: [0, 0], spread: [1, 1] },
    broken: { activations: ["sigmoid"], mean: [0, 0], spread: [1, 1] },
  };
  await socket.last("choose").answer(state({ networks, low: [-1, -1], high: [1, 1] }));
  const run = { weights: [{ w: [[0, 0]], b: [-100] }] };
  socket.push("mistakes", { event: "snapshot", run: 1, step: 5, playing: true, healthy: run, broken: run });
  expect(room.maps.healthy.value?.neuron(1, 0)).toMatchObject({ min: -1, max: -1 });
  expect(room.maps.broken.value?.neuron(1, 0)?.max).toBeCloseTo(0, 12);
  room.state.value = { ...room.state.value!, run: 2 };
  expect(room.maps.healthy.value).toBeNull();
});
