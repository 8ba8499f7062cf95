import { fireEvent, render, screen } from "@testing-library/preact";
import { beforeEach, expect, test, vi } from "vitest";
import { Explore } from "../../src/explore/Explore";
import { type Model, recordingModel } from "../../src/explore/model";
import { productPlusInput } from "../scenes";

beforeEach(() => {
  document.body.replaceChildren();
  Element.prototype.scrollTo ??= () => undefined;
});

function show(changes: Record<string, unknown> = {}): { model: Model; container: Element } {
  const model = recordingModel({ scene: productPlusInput(), title: "a*b + a", at: 0 });
  for (const [name, value] of Object.entries(changes)) model.set(name, value);
  const { container } = render(<Explore model={model} />);
  return { model, container };
}

const text = () => screen.getByTestId("step-text").textContent;
const gradientOf = (container: Element, name: string) =>
  container.querySelector(`[data-node='${name}'] .grad`)?.textContent;

test("the player goes step by step, by buttons and by keys", async () => {
  show();
  fireEvent.click(screen.getByLabelText("One step forward (→)"));
  await vi.waitFor(() => expect(text()).toBe("v1 = a * b = 2 × 3 = 6"));
  fireEvent.keyDown(document.body, { key: "ArrowRight" });
  await vi.waitFor(() => expect(text()).toBe("out = v1 + a = 6 + 2 = 8"));
  fireEvent.keyDown(document.body, { key: "r" });
  await vi.waitFor(() => expect(text()).toContain("Press Play"));
});

test("gradients appear when the backward pass reaches their node", async () => {
  const { container } = show({ at: 5 });
  expect(gradientOf(container, "a")).toBe("1");
  expect(gradientOf(container, "b")).toBe("·");
  fireEvent.click(screen.getByLabelText("Jump to the end (End)"));
  await vi.waitFor(() => expect(gradientOf(container, "a")).toBe("4"));
  expect(gradientOf(container, "b")).toBe("2");
});

test("gradients can be hidden", async () => {
  const { container } = show({ at: 7 });
  fireEvent.click(screen.getByLabelText("show gradients"));
  await vi.waitFor(() => expect(container.querySelectorAll(".graph .grad")).toHaveLength(0));
});

test("the details of a node list its operands, its users and its derivative steps", async () => {
  const { container } = show({ at: 7 });
  fireEvent.focus(container.querySelector("[data-node='v1']")!);
  const details = await screen.findByTestId("details");
  const titles = [...details.querySelectorAll("dt")].map((title) => title.textContent);
  const contents = [...details.querySelectorAll("dd")].map((content) => content.textContent);
  expect(Object.fromEntries(titles.map((title, i) => [title, contents[i]]))).toMatchObject({
    value: "6",
    gradient: "1",
    "computed as": "a * b",
    operands: "a, b",
    "used by": "out",
  });
});

test("what is not computed yet is not revealed by the details", async () => {
  const { container } = show({ at: 0 });
  fireEvent.focus(container.querySelector("[data-node='out']")!);
  const details = await screen.findByTestId("details");
  expect(details.textContent).not.toContain("8");
  expect(details.textContent).toContain("not computed yet");
});

test("a recording has no inputs to move", () => {
  show();
  expect(screen.queryByLabelText("a, slider")).toBeNull();
});

test("a live graph has a slider and a field for each input, and invalid numbers are refused", async () => {
  const { model } = show({ kind: "expression", expression: "a*b + a", numbers: { a: 2, b: 3 } });
  const field = screen.getByLabelText<HTMLInputElement>("a, number");
  fireEvent.input(field, { target: { value: "1e3" } });
  expect(model.get("numbers")).toEqual({ a: 1000, b: 3 });
  fireEvent.input(field, { target: { value: "many" } });
  expect((await screen.findByRole("alert")).textContent).toContain("a stays");
  expect(model.get("numbers")).toEqual({ a: 1000, b: 3 });
});

const dataOf = (container: Element, name: string) =>
  container.querySelector(`[data-node='${name}'] .data`)?.textContent;

test.each(["expression", "widget"])("the page computes the numbers of a moved input itself (%s)", async (kind) => {
  const { model, container } = show({ kind, at: 2, expression: "a*b + a", numbers: { a: 2, b: 3 } });
  fireEvent.input(screen.getByLabelText("a, slider"), { target: { value: "5" } });
  await null;
  expect(["a", "v1", "out"].map((name) => dataOf(container, name))).toEqual(["5", "15", "20"]);
  expect(model.get("scene")).toEqual(productPlusInput()); // nobody has answered
  await vi.waitFor(() => expect(container.querySelector(".sentence")!.classList).toContain("outdated"));
});

test("the numbers of the engine replace those of the page if they have the same inputs", async () => {
  const { model, container } = show({ kind: "widget", at: 7, numbers: { a: 5, b: 3 } });
  const answer = (a: number, out: number) => {
    const scene = productPlusInput();
    scene.nodes[0]!.data = a;
    scene.nodes[3]!.data = out;
    model.set("scene", scene);
  };
  expect(dataOf(container, "out")).toBe("20");
  answer(4, 16); // of an earlier position of the slider
  await null;
  expect(dataOf(container, "out")).toBe("20");
  answer(5, 21);
  await vi.waitFor(() => expect(dataOf(container, "out")).toBe("21"));
  await vi.waitFor(() => expect(container.querySelector(".sentence")!.classList).not.toContain("outdated"));
});

test("an error marks the expression and is announced", () => {
  show({ kind: "expression", expression: "a*", error: "the expression ends too early" });
  expect(screen.getByLabelText("Expression", { selector: "textarea" }).getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByRole("alert").textContent).toBe("the expression ends too early");
});
