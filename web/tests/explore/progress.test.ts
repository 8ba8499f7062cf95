import { expect, test } from "vitest";
import { describeStep, progressAt } from "../../src/explore/progress";
import { productPlusInput } from "../scenes";

test("before the first step only the inputs are known, and no gradient", () => {
  const { known, grads, flows, step } = progressAt(productPlusInput(), 0);
  expect(known).toEqual([true, true, false, false]);
  expect(grads).toEqual([null, null, null, null]);
  expect(flows.size).toBe(0);
  expect(step).toBeNull();
});

test("the forward pass computes one node at a time", () => {
  expect(progressAt(productPlusInput(), 1).known).toEqual([true, true, true, false]);
  expect(progressAt(productPlusInput(), 2).known).toEqual([true, true, true, true]);
});

test("a node that is used twice accumulates its gradient", () => {
  const gradients = [4, 5, 6].map((at) => progressAt(productPlusInput(), at).grads[0]);
  expect(gradients).toEqual([null, 1, 4]);
});

test("after all steps every node has its gradient, and every edge a flow", () => {
  const scene = productPlusInput();
  const { grads, flows } = progressAt(scene, scene.steps.length);
  expect(grads).toEqual(scene.nodes.map((node) => node.grad));
  expect([...flows].sort()).toEqual(["2.0", "2.1", "3.0", "3.1"]);
});

test("a scene of a single value has its gradient from the start", () => {
  const scene = productPlusInput();
  const single = { ...scene, nodes: [{ ...scene.nodes[0]!, grad: 1 }], steps: [], root: 0 };
  expect(progressAt(single, 0).grads).toEqual([1]);
});

test.each([
  [0, 0, 0, "nothing to compute"],
  [2, 7, 0, "7 steps"],
  [2, 7, 2, "forward 2 of 2"],
  [2, 7, 3, "backward 1 of 5"],
  [2, 7, 7, "backward 5 of 5"],
])("with %i forward steps of %i, step %i is described as “%4$s”", (forward, last, at, text) => {
  expect(describeStep(forward, last, at)).toBe(text);
});
