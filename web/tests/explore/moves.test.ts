import { describe, expect, test } from "vitest";
import { moveScene, type Numbers, withNumbers } from "../../src/explore/moves";
import { productPlusInput } from "../scenes";

// a = 5: v1 = 15, out = 20; the gradients of a and v1 stay, that of b becomes 5.
const numbers: Numbers = {
  nodes: [
    [5, 4],
    [3, 5],
    [15, 1],
    [20, 1],
  ],
  steps: [
    [1, 1, 1, 0, 1],
    [1, 1, 1, 0, 1],
    [3, 1, 3, 1, 4],
    [5, 1, 5, 0, 5],
  ],
  explanation: { text: "out = 20" },
};

describe("withNumbers", () => {
  test("nodes and backward steps get their new numbers", () => {
    const scene = withNumbers(productPlusInput(), numbers, 2);
    expect(scene.nodes.map((node) => node.data)).toEqual([5, 3, 15, 20]);
    expect(scene.steps[6]).toMatchObject({ phase: "backward", local: 5, contribution: 5, after: 5 });
    expect(scene.steps[0]).not.toHaveProperty("after");
  });
  test("only the current step has a text", () => {
    const texts = withNumbers(productPlusInput(), numbers, 2).steps.map((step) => step.text);
    expect(texts).toEqual(["", "out = 20", "", "", "", "", ""]);
  });
  test("without a position, the last step is the current one", () => {
    expect(withNumbers(productPlusInput(), numbers, null).steps.at(-1)!.text).toBe("out = 20");
  });
  test("the original scene is not changed", () => {
    const scene = productPlusInput();
    withNumbers(scene, numbers, 2);
    expect(scene).toEqual(productPlusInput());
  });
});

describe("moveScene", () => {
  const at = (a: number, b: number) => moveScene(productPlusInput(), { a, b }, 2);
  test("computes all values, gradients and backward steps", () => {
    const moved = at(5, 3);
    expect(moved.nodes.map(({ data, grad }) => [data, grad])).toEqual([
      [5, 4],
      [3, 5],
      [15, 1],
      [20, 1],
    ]);
    expect(moved.steps[5]).toMatchObject({ local: 3, incoming: 1, contribution: 3, before: 1, after: 4 });
  });
  test("keeps the text of the current step only, which is outdated until the engine answers", () => {
    const moved = at(5, 3);
    expect(moved.steps.map((step) => step.text)).toEqual(["", "out = v1 + a = 6 + 2 = 8", "", "", "", "", ""]);
    expect(moved.isOutdated).toBe(true);
    expect(withNumbers(moved, numbers, 2).isOutdated).toBe(false);
  });
  test("numbers that are not finite are strings, as from the engine", () => {
    const moved = at(Infinity, 0);
    expect(moved.nodes.map(({ data }) => data)).toEqual(["Infinity", 0, "NaN", "NaN"]);
    expect(moved.nodes[1]!.grad).toBe("Infinity");
  });
  test("a scene that has the numbers stays as it is", () => {
    const scene = productPlusInput();
    expect(moveScene(scene, { a: 2, b: 3, other: 7 }, 2)).toBe(scene);
    expect(moveScene(scene, {}, 2)).toBe(scene);
  });
  test("so does a scene that the rules cannot compute", () => {
    const scene = { ...productPlusInput(), computable: false };
    expect(moveScene(scene, { a: 5 }, 2)).toBe(scene);
  });
});
