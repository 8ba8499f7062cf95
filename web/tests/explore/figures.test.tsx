import { renderHook } from "@testing-library/preact";
import { expect, test } from "vitest";
import { formatSummary, useFigures } from "../../src/explore/figures";
import { layoutFor } from "../../src/explore/layout";
import type { Scene } from "../../src/explore/model";
import { progressAt } from "../../src/explore/progress";
import { productPlusInput } from "../scenes";

function figuresOf(scene: Scene, at: number, questions?: string[]) {
  const layout = layoutFor(scene, 1000);
  const view = { progress: progressAt(scene, at), showGradients: true, questions };
  return renderHook(() => useFigures(scene, layout, view)).result.current;
}

test("numbers that are not computed yet are dots", () => {
  const { boxes } = figuresOf(productPlusInput(), 1);
  expect(boxes.map(({ data }) => data.value)).toEqual(["2", "3", "6", "·"]);
  expect(boxes.map(({ grad }) => grad.value)).toEqual(["·", "·", "·", "·"]);
});

test("the largest gradient has the longest bar, and half of it half the bar", () => {
  const { boxes } = figuresOf(productPlusInput(), 7);
  const [a, b] = [boxes[0]!.bar.value, boxes[1]!.bar.value];
  expect(a).toBeGreaterThan(100);
  expect(b / a).toBeCloseTo(0.5, 1);
});

test("a larger contribution flows wider, and none before its step", () => {
  const scene = productPlusInput();
  const flowsAt = (at: number) => figuresOf(scene, at).curves.map(({ flow }) => flow.value);
  // The edges are a→v1 (3), b→v1 (2), v1→out (1), a→out (1).
  const [aToProduct, bToProduct, productToOut, aToOut] = flowsAt(7) as [number, number, number, number];
  expect(aToProduct).toBeGreaterThan(bToProduct);
  expect(bToProduct).toBeGreaterThan(productToOut);
  expect(productToOut).toBe(aToOut);
  expect(flowsAt(4).map((flow) => flow > 0)).toEqual([false, false, true, false]);
});

test("the sign of a gradient is a class", () => {
  const scene = productPlusInput();
  scene.steps[6]!.after = -2;
  expect(figuresOf(scene, 7).boxes[1]!.gradClass.value).toBe("grad negative");
});

test("a node in question shows a question mark and tells its gradient to nobody", () => {
  const { grad, bar, spoken } = figuresOf(productPlusInput(), 7, ["a"]).boxes[0]!;
  expect(grad.value).toBe("?");
  expect(bar.value).toBe(0);
  expect(spoken.value).not.toContain("gradient");
});

test("screen readers hear the formula, the value and the gradient", () => {
  const { boxes } = figuresOf(productPlusInput(), 7);
  expect(boxes[0]!.spoken.value).toBe("a, input; value 2, gradient 4");
  expect(boxes[2]!.spoken.value).toBe("v1 = a * b; value 6, gradient 1");
});

test("infinite and NaN gradients have no bar", () => {
  const scene = productPlusInput();
  scene.nodes[0]!.grad = scene.steps[5]!.after = "NaN";
  scene.nodes[1]!.grad = scene.steps[6]!.after = "Infinity";
  const { boxes } = figuresOf(scene, 7);
  expect(boxes[0]!.bar.value).toBe(0);
  expect(boxes[0]!.grad.value).toBe("NaN");
  expect(boxes[1]!.grad.value).toBe("∞");
});

test("arrays are shown by their shape, other words as they are", () => {
  expect(formatSummary({ shape: [2, 3], dtype: "float64", min: 0, mean: 1, max: 2, values: [] })).toBe("array 2×3");
  expect(formatSummary("True")).toBe("True");
  expect(formatSummary("-Infinity")).toBe("−∞");
});
