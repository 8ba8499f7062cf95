import { expect, test } from "vitest";
import { keyOf, layoutFor } from "../../src/explore/layout";
import type { Node, Scene } from "../../src/explore/model";
import { productPlusInput } from "../scenes";

/** x, then `length` operations in a row. */
function chain(length: number): Scene {
  const nodes = Array.from({ length: length + 1 }, (_, index): Node => {
    const operands = index ? [{ node: index - 1 }] : [];
    return {
      index,
      name: `v${index}`,
      op: index ? "tanh" : "",
      sign: "",
      operands,
      formula: "",
      data: 0,
      grad: 0,
      uses: 1,
    };
  });
  return { nodes, root: length, steps: [], inputs: ["v0"], computable: true };
}

const ends = (path: string) => path.match(/-?[\d.]+,-?[\d.]+/g)!.map((pair) => pair.split(",").map(Number));

test("on a wide canvas, operands are left of their node", () => {
  const { boxes, edges, direction } = layoutFor(productPlusInput(), 1000);
  expect(direction).toBe("LR");
  for (const { from, to } of edges) expect(boxes[from]!.x).toBeLessThan(boxes[to]!.x);
});

test("on a narrow canvas, operands are above their node", () => {
  const { boxes, edges, direction } = layoutFor(productPlusInput(), 360);
  expect(direction).toBe("TB");
  for (const { from, to } of edges) expect(boxes[from]!.y).toBeLessThan(boxes[to]!.y);
});

test("boxes do not overlap and stay within the picture", () => {
  const { boxes, box, width, height } = layoutFor(productPlusInput(), 1000);
  for (const [i, a] of boxes.entries()) {
    expect(a.x - box.width / 2).toBeGreaterThanOrEqual(0);
    expect(a.x + box.width / 2).toBeLessThanOrEqual(width);
    expect(a.y + box.height / 2).toBeLessThanOrEqual(height);
    for (const b of boxes.slice(i + 1)) {
      expect(Math.abs(a.x - b.x) >= box.width || Math.abs(a.y - b.y) >= box.height).toBe(true);
    }
  }
});

test("a long graph is set more tightly before it scrolls", () => {
  const length = 8;
  const [wide, tight] = [layoutFor(chain(length), 3000), layoutFor(chain(length), 900)];
  expect(tight.direction).toBe("LR");
  expect(tight.width).toBeLessThan(wide.width);
});

test("a node that uses another twice has two curves that end apart", () => {
  const scene = chain(1);
  scene.nodes[1]!.operands = [{ node: 0 }, { node: 0 }];
  const { edges } = layoutFor(scene, 1000);
  expect(edges.map(({ operand }) => operand)).toEqual([0, 1]);
  const [first, second] = edges.map(({ path }) => ends(path));
  expect(Math.abs(first!.at(-1)![1]! - second!.at(-1)![1]!)).toBeGreaterThanOrEqual(10);
  expect(Math.abs(first![0]![1]! - second![0]![1]!)).toBeGreaterThanOrEqual(10);
});

test("curves begin and end at the sides of the boxes", () => {
  const { boxes, box, edges } = layoutFor(productPlusInput(), 1000);
  for (const { from, to, path } of edges) {
    const points = ends(path);
    expect(points[0]![0]).toBeCloseTo(boxes[from]!.x + box.width / 2, 0);
    expect(points.at(-1)![0]).toBeCloseTo(boxes[to]!.x - box.width / 2, 0);
  }
});

test("constants get neither a box nor a curve", () => {
  const scene = chain(1);
  scene.nodes[1]!.operands.push({ constant: 2 });
  const { boxes, edges } = layoutFor(scene, 1000);
  expect([boxes.length, edges.length]).toEqual([2, 1]);
});

test("the key of a layout ignores numbers but not operands", () => {
  const [scene, moved, swapped] = [productPlusInput(), productPlusInput(), productPlusInput()];
  moved.nodes[0]!.data = 7;
  swapped.nodes[3]!.operands.reverse();
  expect(keyOf(moved)).toBe(keyOf(scene));
  expect(keyOf(swapped)).not.toBe(keyOf(scene));
});
