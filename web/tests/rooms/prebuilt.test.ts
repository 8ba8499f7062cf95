// Scenes that the static site was built with: Explore shows them without an engine.
import { beforeEach, expect, test, vi } from "vitest";
import { productPlusInput } from "../scenes";
import { fakeConnection, visit } from "./fakeConnection";

let socket: ReturnType<typeof fakeConnection>;
const PRESET = { title: "product", expression: "a*b + c", numbers: { a: 2, b: -3, c: 10 } };
const OTHER = { expression: "b + c", numbers: {}, scene: { ...productPlusInput(), computable: true }, notes: "" };

async function create(hash: string, isReady = false) {
  visit(hash);
  socket.module.connection.value = isReady ? "open" : "connecting";
  vi.doMock("../../src/shared/connection", () => socket.module);
  const { setPrebuilt } = await import("../../src/rooms/explore/prebuilt");
  const { expression, numbers } = PRESET;
  const scene = { ...productPlusInput(), computable: true };
  setPrebuilt(Promise.resolve({ presets: [PRESET], scenes: [{ expression, numbers, scene, notes: "" }, OTHER] }));
  const { SocketModel } = await import("../../src/rooms/explore/model");
  const model = new SocketModel(() => Promise.resolve());
  await socket.settle();
  return model;
}

beforeEach(() => {
  socket = fakeConnection();
});

test("a preset is shown before the engine is ready", async () => {
  const model = await create("#explore?e=a*b+%2B+c&n.a=2&n.b=-3&n.c=10");
  expect(model.get("scene")).toMatchObject({ inputs: productPlusInput().inputs });
  expect(model.get("presets")).toEqual([PRESET]);
  expect(socket.requests).toEqual([]);
});

test("numbers of the address are kept, and the engine is asked for the texts", async () => {
  const model = await create("#explore?e=a*b+%2B+c&n.a=7");
  expect(model.get("numbers")).toEqual({ a: 7, b: -3, c: 10 });
  expect(socket.requests.map(({ command }) => command)).toEqual(["move"]);
});

test("a frame computes the numbers of a known graph itself", async () => {
  const model = await create("#explore?e=a*b+%2B+c&n.a=7&embed");
  model.set("numbers", { a: 8, b: -3, c: 10 });
  model.save_changes();
  await socket.settle();
  expect(model.get("numbers")).toEqual({ a: 8, b: -3, c: 10 });
  expect(socket.requests).toEqual([]);
});

test("the engine is asked for other expressions", async () => {
  await create("#explore?e=a*b*c&embed");
  expect(socket.last("set").fields).toMatchObject({ expression: "a*b*c" });
});

test("an engine that is ready answers itself", async () => {
  await create("#explore?e=a*b+%2B+c&n.a=7", true);
  expect(socket.last("set").fields).toMatchObject({ expression: "a*b + c" });
});

function type(model: { set: (name: string, value: unknown) => void; save_changes: () => void }, expression: string) {
  model.set("expression", expression);
  model.save_changes();
  return socket.settle();
}

test("an expression that is typed while Python starts says what it waits for", async () => {
  socket.module.progress.value = { text: "Starting Python" };
  const model = await create("#explore?e=a*b+%2B+c");
  await type(model, "a*b*c");
  expect(model.get("notes")).toContain("Python is starting");
  await socket.last("set").answer({ scene: productPlusInput(), notes: "", numbers: {} });
  expect(model.get("notes")).toBe("");
});

test("a preset is shown while the move of a slider waits for Python", async () => {
  socket.module.progress.value = { text: "Starting Python" };
  const model = await create("#explore?e=a*b+%2B+c&n.a=7");
  const { scene } = OTHER;
  await type(model, "x*y");
  expect(model.get("notes")).toContain("Python is starting");
  await type(model, "b + c");
  expect(model.get("notes")).toBe("");
  expect(model.get("scene")).toBe(scene);
  await socket.last("move").answer({ values: [], grads: [] }); // of the graph before
  expect(model.get("scene")).toBe(scene);
  expect(socket.last("move").fields).toMatchObject({ expression: "b + c" });
});
