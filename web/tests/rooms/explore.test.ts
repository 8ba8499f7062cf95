import { beforeEach, describe, expect, test, vi } from "vitest";
import { expressionAddress, expressionOf, settingsAddress, settingsOf } from "../../src/rooms/explore/address";
import { assignedNames, haveSameGraph, numbersIn, withInputs } from "../../src/rooms/explore/statements";
import { productPlusInput } from "../scenes";
import { fakeConnection, visit } from "./fakeConnection";

const params = (text: string) => new URLSearchParams(text);

describe("address", () => {
  test("without parameters, the default neuron is shown with its numbers", () => {
    const { expression, numbers } = expressionOf(params(""));
    expect(expression).toContain("tanh");
    expect(numbers).toMatchObject({ x1: 2, w1: -3 });
  });
  test("numbers that are not finite are ignored", () => {
    expect(expressionOf(params("e=a*b&n.a=2&n.b=Infinity&n.c=&n.d=x")).numbers).toEqual({ a: 2 });
  });
  test("the expression may have the long name of its parameter", () => {
    expect(expressionOf(params("expression=tanh(a*b)&n.a=2"))).toEqual({ expression: "tanh(a*b)", numbers: { a: 2 } });
  });
  test("line ends of all systems separate statements", () => {
    const { expression } = expressionOf(params("e=a = 2%0Db = a*c%0D%0Ab*d"));
    expect(expression).toBe("a = 2\nb = a*c\nb*d");
    expect(withInputs(expression, { a: 5 }, ["a"])).toBe("a = 5\nb = a*c\nb*d");
  });
  test("an expression and its numbers survive the way through the address", () => {
    const address = expressionAddress("a*b", { a: -1.5, b: 3, unused: 9 }, ["a", "b"]);
    expect(address).toEqual({ e: "a*b", "n.a": -1.5, "n.b": 3 });
    const text = new URLSearchParams(Object.entries(address).map(([name, x]) => [name, String(x)])).toString();
    expect(expressionOf(params(text))).toEqual({ expression: "a*b", numbers: { a: -1.5, b: 3 } });
  });
  test.each(["at=-1", "at=1e3", "at=2.5", "at=", "at=1234567"])("%s is not a step", (text) => {
    expect(settingsOf(params(text)).at).toBeNull();
  });
  test("invalid settings get their defaults", () => {
    expect(settingsOf(params("speed=3&gradients=maybe"))).toMatchObject({ speed: 1, gradients: true });
  });
  test("only settings that differ from their defaults are in the address", () => {
    const settings = settingsOf(params(""));
    expect(settingsAddress(settings)).toEqual({});
    expect(settingsAddress({ ...settings, at: 0, gradients: false, speed: 4 })).toEqual({
      at: 0,
      gradients: "off",
      speed: 4,
    });
  });
});

describe("numbers in the text", () => {
  const text = "a = 2;b=-3 # b = 4; c = 5\n  w = (1 +\n 2); d = a*b\nL = d == w";
  test("statements end at semicolons, line ends and comments, but not inside of parentheses", () => {
    expect([...assignedNames(text)]).toEqual(["a", "b", "w", "d", "L"]);
    expect([...assignedNames("(a = 2\nb = 3")]).toEqual([]);
    expect([...assignedNames("a == 2; = 3; 4 = b; c)\nd =")]).toEqual(["d"]);
  });
  test("a moved slider changes the number of its statement and nothing else", () => {
    expect(withInputs(text, { a: 2, b: -1.5, w: 7, d: 8, z: 9 }, ["a", "b", "w", "z"])).toBe(
      "a = 2;b=-1.5 # b = 4; c = 5\n  w = 7; d = a*b\nL = d == w",
    );
    expect(withInputs("a = 2.50", { a: 2.5 }, ["a"])).toBe("a = 2.50");
    expect(withInputs("L = a*a", { a: 3 }, ["a"])).toBe("L = a*a");
  });
  test("numbers are read from the statements that consist of one", () => {
    expect(numbersIn(text)).toEqual({ a: 2, b: -3 });
  });
  test("only numbers may differ between texts of the same graph", () => {
    expect(haveSameGraph("a = 2; L = a*b", "a = -3.5e2; L = a*b")).toBe(true);
    expect(haveSameGraph("a = 2; L = a*b", "a = 2*c; L = a*b")).toBe(false);
    expect(haveSameGraph("a = 2; L = a*2", "a = 2; L = a*3")).toBe(false);
  });
  test("the address has no parameter for a number of the text", () => {
    expect(expressionAddress("a = 2; a*b", { a: 2, b: 3 }, ["a", "b"])).toEqual({ e: "a = 2; a*b", "n.b": 3 });
  });
});

describe("the model", () => {
  let socket: ReturnType<typeof fakeConnection>;

  async function create(hash = "#explore?e=a*b&n.a=2&n.b=3", loadSample = vi.fn(() => Promise.resolve())) {
    visit(hash);
    vi.doMock("../../src/shared/connection", () => socket.module);
    const { SocketModel } = await import("../../src/rooms/explore/model");
    return { model: new SocketModel(loadSample), loadSample };
  }
  beforeEach(() => {
    socket = fakeConnection();
  });

  test("asks for the scene of the address, and takes the numbers of inputs that have none", async () => {
    const { model } = await create("#explore?e=a*b&n.a=2");
    expect(socket.last("set").fields).toEqual({ expression: "a*b", numbers: { a: 2 } });
    await socket.last("set").answer({ scene: productPlusInput(), numbers: { a: 2, b: 1 } });
    expect(model.get("numbers")).toEqual({ a: 2, b: 1 });
    expect(model.get("scene")).toEqual(productPlusInput());
  });

  test("a number that is typed into the text moves its input at once", async () => {
    const { model } = await create("#explore?e=a%3D2%0Aa*b&n.b=3");
    await socket.last("set").answer({ scene: productPlusInput(), numbers: { a: 2, b: 3 } });
    model.set("expression", "a=2.5\na*b");
    expect(model.get("numbers")).toEqual({ a: 2.5, b: 3 });
    model.set("expression", "a=7\na+b");
    expect(model.get("numbers")).toEqual({ a: 2.5, b: 3 });
  });

  test("asks only for numbers while the expression stays, and for one move at a time", async () => {
    const { model } = await create();
    await socket.last("set").answer({ scene: productPlusInput(), numbers: {} });
    for (const a of [3, 4, 5]) {
      model.set("numbers", { a, b: 3 });
      model.save_changes();
    }
    const moves = () => socket.requests.filter(({ command }) => command === "move");
    expect(moves()).toHaveLength(0); // the page paints its own numbers first
    await vi.waitFor(() => expect(moves()).toHaveLength(1));
    model.set("numbers", { a: 6, b: 3 });
    model.save_changes();
    await socket.settle();
    expect(moves()[0]!.fields.numbers).toEqual({ a: 5, b: 3 });
    await moves()[0]!.answer({
      nodes: [
        [3, 4],
        [3, 3],
        [9, 1],
        [12, 1],
      ],
      steps: [],
      explanation: {},
    });
    await vi.waitFor(() => expect(moves()).toHaveLength(2));
    expect(moves()[1]!.fields.numbers).toEqual({ a: 6, b: 3 });
  });

  test("a slider writes its number into the text and asks only for numbers", async () => {
    const { model } = await create(`#explore?${new URLSearchParams({ e: "a = 2; b = 3; a*b + a" })}`);
    await socket.last("set").answer({ scene: productPlusInput(), numbers: { a: 2, b: 3 }, notes: "" });
    model.set("expression", "a = 2; b = 35; a*b + a"); // typed
    model.save_changes();
    await vi.waitFor(() => expect(socket.last("move")).toBeDefined());
    await socket.last("move").fail(new Error("not answered"));
    model.set("numbers", { ...(model.get("numbers") as object), a: -0.5 });
    model.save_changes();
    expect(model.get("expression")).toBe("a = -0.5; b = 35; a*b + a");
    await vi.waitFor(() =>
      expect(socket.last("move").fields).toMatchObject({ expression: "a = -0.5; b = 35; a*b + a" }),
    );
    expect(socket.requests.filter(({ command }) => command === "set")).toHaveLength(1);
  });

  test("the numbers of an example do not change its text", async () => {
    const { model } = await create();
    await socket.last("set").answer({ scene: productPlusInput(), numbers: { a: 2, b: 3 } });
    model.set("expression", "a = 7; a*b");
    model.set("numbers", { a: 1, b: 2 });
    model.save_changes();
    expect(model.get("expression")).toBe("a = 7; a*b");
  });

  test("an error of the expression keeps the last scene", async () => {
    const { model } = await create();
    await socket.last("set").answer({ scene: productPlusInput(), numbers: {} });
    model.set("expression", "a*");
    model.save_changes();
    await socket.last("set").fail(new Error("the expression ends too early"));
    expect(model.get("error")).toBe("the expression ends too early");
    expect(model.get("scene")).toEqual(productPlusInput());
  });

  test("a lost connection is not an error, and the scene is asked for again", async () => {
    const { model } = await create();
    socket.module.connection.value = "connecting";
    await socket.last("set").fail(new socket.module.Disconnected());
    expect(model.get("error")).toBe("");
    const before = socket.requests.length;
    socket.module.connection.value = "open";
    expect(socket.requests.slice(before).map(({ command }) => command)).toContain("set");
  });

  test("a sample of an address is left to its room; a failure is shown", async () => {
    const loader = vi.fn(() => Promise.reject(new Error("no such sample")));
    const { model } = await create("#explore?sample=3&data=xor", loader);
    await socket.settle();
    expect(loader).toHaveBeenCalledTimes(1);
    expect(model.get("error")).toBe("no such sample");
  });

  test("a nudge waits for the scene of a new expression, which has other names", async () => {
    const { model } = await create();
    await socket.last("set").answer({ scene: productPlusInput(), numbers: { a: 2, b: 3 }, notes: "" });
    model.set("expression", "x*y");
    model.save_changes();
    const answered = vi.fn();
    model.on("msg:custom", answered);
    model.send({ id: 1, do: "nudge", name: "a", h: 0.01 }); // a name of the scene that is still shown
    expect(socket.last("nudge")).toBeUndefined();
    expect(answered).toHaveBeenCalledWith({ id: 1, error: "" });
    await socket
      .last("set")
      .answer({ scene: { ...productPlusInput(), inputs: ["x", "y"] }, numbers: { x: 2, y: -3 }, notes: "" });
    model.send({ id: 2, do: "nudge", name: "x", h: 0.01 });
    expect(socket.last("nudge")).toMatchObject({ fields: { expression: "x*y", name: "x" } });
    const asked = socket.last("nudge");
    model.send({ id: 3, do: "nudge", name: "a", h: 0.01 }); // the page has not yet been painted with the new scene
    expect(socket.last("nudge")).toBe(asked);
  });

  test("requests about a sample go to the room that computed it", async () => {
    const { model } = await create();
    model.show({
      scene: productPlusInput(),
      title: "Sample 1",
      room: "train",
      fields: { index: 0 },
      address: { sample: 0 },
    });
    model.send({ id: 1, do: "export", at: 2 });
    expect(socket.last("export")).toMatchObject({ room: "train", fields: { index: 0, at: 2, title: "Sample 1" } });
  });
});
