import { describe, expect, test } from "vitest";
import { gridOf, Mapper, Maps, PAUSED, PLAYING, TILE } from "../../src/shared/plane/maps";

const bounds = { low: [-2, 0] as [number, number], high: [2, 1] as [number, number] };
const plain = (...activations: string[]) => ({ activations, mean: [0, 0], spread: [1, 1] });
/** The byte of a response. */
const byte = (x: number) => 128 + Math.round(127 * Math.tanh(x));

test("a grid has the middles of its cells, row by row from the top", () => {
  const [x1, x2] = gridOf(bounds, 2);
  expect([...x1]).toEqual([-1, 1, -1, 1]);
  expect([...x2]).toEqual([0.75, 0.75, 0.25, 0.25]);
});

test("large maps are multiples of tiles", () => {
  expect([PLAYING % TILE, PAUSED % TILE]).toEqual([0, 0]);
});

describe("the maps of a network", () => {
  const weights = [
    {
      w: [
        [1, 0],
        [0, 2],
        [1, 1],
      ],
      b: [0, -1, 0.5],
    },
    { w: [[1, -1, 0.5]], b: [0.25] },
  ];

  test("show the response of each neuron and each input at every point", () => {
    const size = 24;
    const maps = new Mapper().at(plain("tanh", "linear"), weights, bounds, size);
    const [x1, x2] = gridOf(bounds, size);
    const hidden = maps.neuron(1, 1)!;
    for (const p of [0, 100, 575]) {
      expect(maps.neuron(0, 1)!.bytes[p]).toBe(byte(x2[p]!));
      expect(hidden.bytes[p]).toBe(byte(Math.tanh(2 * x2[p]! - 1)));
      const [a, b, c] = [Math.tanh(x1[p]!), Math.tanh(2 * x2[p]! - 1), Math.tanh(x1[p]! + x2[p]! + 0.5)];
      expect(maps.boundary[p]).toBe(byte(0.25 + a - b + 0.5 * c));
    }
    expect(hidden.min).toBeCloseTo(Math.tanh(2 * x2[575]! - 1), 12);
    expect(hidden.max).toBeCloseTo(Math.tanh(2 * x2[0]! - 1), 12);
    expect(maps.neuron(1, 3)).toBeNull();
  });

  test("have a tile for each neuron and each input, with points of the large map", () => {
    const maps = new Mapper().at(plain("tanh", "linear"), weights, bounds, PLAYING);
    expect(maps.tiles.map((layer) => layer.length)).toEqual([2, 3, 1]);
    expect(maps.tiles.flat().every((tile) => tile.length === TILE * TILE)).toBe(true);
    const at = (row: number, column: number) => maps.boundary[row * PLAYING + column];
    // Each tile has the middle one of three rows and columns.
    expect(maps.tiles[2]![0]![0]).toBe(at(1, 1));
    expect(maps.tiles[2]![0]![5 * TILE + 7]).toBe(at(16, 22));
  });

  test("follow new weights, another size and another plane", () => {
    const mapper = new Mapper();
    const network = plain("linear");
    const first = mapper.at(network, [{ w: [[1, 0]], b: [0] }], bounds, 24).boundary;
    const again = mapper.at(network, [{ w: [[-1, 0]], b: [0] }], bounds, 24).boundary;
    expect(again[0]! - 128).toBe(128 - first[0]!);
    expect(mapper.at(network, [{ w: [[1, 0]], b: [0] }], bounds, 48).boundary).toHaveLength(48 * 48);
    const right = { low: [2, 0] as [number, number], high: [6, 1] as [number, number] };
    expect(mapper.at(network, [{ w: [[1, 0]], b: [0] }], right, 48).boundary.every((x) => x > 128)).toBe(true);
  });

  test("show the class and the confidence if there are several scores", () => {
    const score = (w1: number) => ({
      w: [
        [w1, 0],
        [-w1, 0],
      ],
      b: [0, 0],
    });
    const maps = new Mapper().at(plain("linear"), [score(100)], bounds, 24);
    expect(maps.isSigned).toBe(false);
    expect(maps.boundary[0]).toBe((1 << 5) | 31); // x1 is negative at the left
    expect(maps.boundary[23]).toBe(31);
  });

  test("bounds are NaN if a response is", () => {
    const maps = new Maps(1, [[Float64Array.of(1)], [Float64Array.of(NaN)]]);
    expect(maps.neuron(1, 0)).toMatchObject({ min: NaN, max: NaN });
    expect(maps.boundary[0]).toBe(128);
  });
});
