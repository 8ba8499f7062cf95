import { describe, expect, test } from "vitest";
import { classBytes, FULL, PALE, shades, signedBytes, strokeZeroLevel, ZERO } from "../../src/shared/plane/heat";
import { type Color, css, mix, type Palette } from "../../src/shared/plane/palette";

const WHITE: Color = [255, 255, 255];
const BLUE: Color = [0, 0, 200];
const ORANGE: Color = [200, 100, 0];
const palette: Palette = {
  paper: WHITE,
  ink: [0, 0, 0],
  soft: [9, 9, 9],
  line: [8, 8, 8],
  accent: [7, 7, 7],
  negative: BLUE,
  positive: ORANGE,
  classes: [BLUE, ORANGE, [0, 200, 0]],
};
const unpack = (packed: number): number[] => [packed & 255, (packed >> 8) & 255, (packed >> 16) & 255, packed >>> 24];

describe("bytes", () => {
  test("of a response show its sign and size, also if it is not finite", () => {
    expect([...signedBytes(Float64Array.of(0, 100, -100, NaN, Infinity, -Infinity))]).toEqual([
      128, 255, 1, 128, 255, 1,
    ]);
    expect([...signedBytes(Float64Array.of(0.5, -0.5))]).toEqual([128 + 59, 128 - 59]); // tanh(0.5) is 0.4621
  });
  test("of scores show the class and the confidence, from a guess to certainty", () => {
    const found = classBytes([Float64Array.of(5, 1, -50), Float64Array.of(-5, 1, -50), Float64Array.of(-5, 1, 50)]);
    expect([...found].map((byte) => [byte >> 5, byte & 31])).toEqual([
      [0, 31],
      [0, 0],
      [2, 31],
    ]);
  });
  test("of scores that are not finite show the largest", () => {
    expect([...classBytes([Float64Array.of(NaN, -Infinity), Float64Array.of(Infinity, 1e308)])]).toEqual([63, 63]);
  });
});

describe("colors", () => {
  test("mix goes from one color to the other", () => {
    expect(mix(WHITE, BLUE, 0)).toEqual(WHITE);
    expect(mix(WHITE, BLUE, 1)).toEqual(BLUE);
    expect(mix([0, 0, 0], [100, 50, 10], 0.5)).toEqual([50, 25, 5]);
  });
  test("css writes an opacity only where there is one", () => {
    expect(css(BLUE)).toBe("rgb(0 0 200)");
    expect(css(BLUE, 0.5)).toBe("rgb(0 0 200 / 0.5)");
  });
});

describe("shades", () => {
  test("a response of 0 has the color of the paper, and all colors are opaque", () => {
    const table = shades(palette, true, FULL);
    expect(unpack(table[ZERO]!)).toEqual([...WHITE, 255]);
    expect([...table].every((packed) => unpack(packed)[3] === 255)).toBe(true);
  });
  test("the sign of a response selects the color, its size the strength", () => {
    const table = shades(palette, true, 1);
    expect(unpack(table[255]!)).toEqual([...ORANGE, 255]);
    expect(unpack(table[0]!)).toEqual([...BLUE, 255]);
    const [weak, strong] = [unpack(table[ZERO + 10]!), unpack(table[ZERO + 100]!)];
    expect(weak[2]).toBeGreaterThan(strong[2]!);
  });
  test("the strongest color is limited", () => {
    expect(unpack(shades(palette, true, PALE)[255]!)).toEqual([...mix(WHITE, ORANGE, PALE), 255]);
  });
  test("a class is in the upper three bits, the confidence in the lower five", () => {
    const table = shades(palette, false, 1);
    expect(unpack(table[(2 << 5) | 31]!)).toEqual([0, 200, 0, 255]);
    expect(unpack(table[2 << 5]!)).toEqual([...mix(WHITE, [0, 200, 0], 0.15), 255]);
  });
});

describe("strokeZeroLevel", () => {
  function segments(map: Uint8Array, side: number): [number, number][][] {
    const found: [number, number][][] = [];
    const context = {
      beginPath: () => undefined,
      stroke: () => undefined,
      moveTo: (x: number, y: number) => found.push([[x, y]]),
      lineTo: (x: number, y: number) => found.at(-1)!.push([x, y]),
    };
    strokeZeroLevel(context as unknown as CanvasRenderingContext2D, map, side);
    return found;
  }

  test("a map that rises from left to right is 0 along its middle", () => {
    // Eight columns from −70 to 70: the crossing is at half of the width.
    const map = Uint8Array.from({ length: 64 }, (_, i) => ZERO - 70 + 20 * (i % 8));
    const points = segments(map, 80).flat();
    expect(points.length).toBeGreaterThan(0);
    for (const [x] of points) expect(x).toBeCloseTo(40, 1);
    expect(Math.min(...points.map(([, y]) => y))).toBeCloseTo(5);
    expect(Math.max(...points.map(([, y]) => y))).toBeCloseTo(75);
  });
  test("the line around a hill is closed", () => {
    const map = Uint8Array.from({ length: 144 }, (_, i) => {
      const [row, column] = [Math.floor(i / 12) - 5.5, (i % 12) - 5.5];
      return Math.max(0, ZERO + Math.round(60 - 5 * (row * row + column * column)));
    });
    const ends = new Map<string, number>();
    for (const point of segments(map, 120).flat()) {
      const key = point.map((x) => x.toFixed(3)).join();
      ends.set(key, (ends.get(key) ?? 0) + 1);
    }
    expect(ends.size).toBeGreaterThan(8);
    expect([...ends.values()].every((count) => count === 2)).toBe(true);
  });
  test("a map without a change of sign has no line", () => {
    expect(segments(new Uint8Array(16).fill(200), 40)).toEqual([]);
  });
});
