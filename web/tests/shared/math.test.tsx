import { render } from "@testing-library/preact";
import { expect, test } from "vitest";
import { Formula, type MathElement, sidesOf } from "../../src/shared/math";

const text = (part: MathElement | string): string =>
  typeof part === "string"
    ? part
    : part
        .slice(1)
        .map((child) => text(child as MathElement))
        .join("");

test("a formula becomes MathML with its accessible name", () => {
  const { container } = render(<Formula of={["mfrac", ["mi", "a"], ["mi", "b"]]} label="a / b" />);
  const math = container.firstElementChild!;
  expect(math.getAttribute("aria-label")).toBe("a / b");
  expect(math.innerHTML).toBe("<mfrac><mi>a</mi><mi>b</mi></mfrac>");
});

test("text never becomes markup, and unknown elements become rows", () => {
  const { container } = render(<Formula of={["script", ["mi", "<img src=x>"]]} />);
  expect(container.querySelector("script, img")).toBeNull();
  expect(container.querySelector("mrow")?.textContent).toBe("<img src=x>");
});

test("an equation splits before each equals sign", () => {
  const equation: MathElement = ["mrow", ["mi", "v"], ["mo", "="], ["mi", "a"], ["mo", "="], ["mn", "2"]];
  expect(sidesOf(equation).map(text)).toEqual(["v", "=a", "=2"]);
});

test("a right-hand side that is an equation splits as well", () => {
  const equation: MathElement = [
    "mrow",
    ["mi", "v"],
    ["mo", "+="],
    ["mrow", ["mi", "a"], ["mo", "·"], ["mi", "b"], ["mo", "="], ["mn", "6"]],
  ];
  expect(sidesOf(equation).map(text)).toEqual(["v", "+=a·b", "=6"]);
});

test("a formula without an equals sign has one side", () => {
  expect(sidesOf(["msqrt", ["mi", "x"]]).map(text)).toEqual(["x"]);
});
