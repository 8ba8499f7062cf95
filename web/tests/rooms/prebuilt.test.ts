// Scenes that the static site was built with: Explore shows them without an engine.
import { beforeEach, expect, test, vi } from "vitest";
import { productPlusInput } from "../scenes";
import { fakeConnection, visit } from "./fakeConnection";

let socket: ReturnType<typeof fakeConnection>;
const PRESET = { title: "product", expression: "a*b + c", numbers: { a: 2, b: -3, c: 10 } };

async function create(hash: string, isReady = false) {
  visit(hash);
  socket.module.connection.value = isReady ? "open" : "connecting";
  vi.doMock("../../src/shared/connection", () => socket.module);
  const { setPrebuilt } = await import("../../src/rooms/explore/prebuilt");
  const { expression, numbers } = PRESET;
  const scene = { ...productPlusInput(), computable: true };
  setPrebuilt(Promise.resolve({ presets: [PRESET], scenes: [{ expression, numbers, scene, notes: "" }] }));
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
