import { describe, expect, test } from "vitest";
import {
  type Architecture,
  atPoint,
  type LayerValues,
  layerOutputs,
  predictedClass,
  probabilities,
} from "../../src/shared/plane/network";
import computedByTheEngine from "./outputs.json";

/** Random networks with points and the outputs of all layers at each point. */
const networks = computedByTheEngine as {
  architecture: Architecture;
  weights: LayerValues[];
  points: number[][];
  outputs: number[][][];
}[];
const columnsOf = (points: number[][]) => points[0]!.map((_, i) => Float64Array.from(points, (point) => point[i]!));

describe("the outputs of all layers", () => {
  test.each(networks.map((network) => [network.architecture.activations.join(", "), network] as const))(
    "are those of the engine: %s",
    (_, { architecture, weights, points, outputs }) => {
      const found = layerOutputs(architecture, weights, columnsOf(points));
      points.forEach((_, p) => {
        const layers = atPoint(found, p);
        expect(layers.map((layer) => layer.length)).toEqual(outputs[p]!.map((layer) => layer.length));
        layers.flat().forEach((x, i) => {
          const expected = outputs[p]!.flat()[i]!;
          expect(Math.abs(x - expected)).toBeLessThanOrEqual(1e-13 + 1e-12 * Math.abs(expected));
        });
      });
    },
  );

  test("overwrite earlier ones of the same shape, and only those", () => {
    const [first, second, third] = networks.filter(({ points }) => points[0]!.length === 2);
    const a = layerOutputs(first!.architecture, first!.weights, columnsOf(first!.points));
    const b = layerOutputs(third!.architecture, third!.weights, columnsOf(third!.points), a);
    expect(b[1]![0]).toBe(a[1]![0]);
    expect(atPoint(b, 0)).toEqual(
      atPoint(layerOutputs(third!.architecture, third!.weights, columnsOf(third!.points)), 0),
    );
    const c = layerOutputs(second!.architecture, second!.weights, columnsOf(second!.points), b);
    expect(c[1]).toHaveLength(5);
    const d = layerOutputs(first!.architecture, first!.weights, columnsOf(first!.points.slice(1)), c);
    expect(atPoint(d, 0)[3]![0]).toBeCloseTo(first!.outputs[1]![3]![0]!, 12);
  });

  test("may be infinite or NaN, as with the weights of a run that diverged", () => {
    const architecture = { activations: ["relu", "linear"], mean: [0, 0], spread: [1, 1] };
    const weights: LayerValues[] = [
      { w: [["Infinity", 1] as const, [1, "NaN"] as const, [0, 1] as const].map((row) => [...row]), b: [0, 0, 0] },
      { w: [[1, 0, 1]], b: [1] },
    ];
    const found = atPoint(layerOutputs(architecture, weights, columnsOf([[2, 3]])), 0);
    expect(found).toEqual([[2, 3], [Infinity, NaN, 3], [NaN]]);
  });
});

test("the predicted class is the sign of a score, or the first of the largest scores", () => {
  expect([[0.1], [0], [-0.1], [NaN]].map(predictedClass)).toEqual([1, 0, 0, 0]);
  expect(
    [
      [1, 3, 2],
      [2, 2, 1],
      [-5, -9, -1],
    ].map(predictedClass),
  ).toEqual([1, 0, 2]);
});

test("scores become probabilities, also if they are large", () => {
  expect(probabilities([0])).toEqual([0.5]);
  expect(probabilities([Math.log(3)])[0]).toBeCloseTo(0.75, 14);
  const found = probabilities([Math.log(1), Math.log(2), Math.log(5)]);
  for (const [i, expected] of [0.125, 0.25, 0.625].entries()) expect(found[i]).toBeCloseTo(expected, 14);
  expect(probabilities([1000, -1000, 1000])).toEqual([0.5, 0, 0.5]);
});
