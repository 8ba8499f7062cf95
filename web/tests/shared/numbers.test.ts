import { describe, expect, test } from "vitest";
import { formatNumber, signOf, toNumber, type Wire } from "../../src/shared/numbers";

describe("toNumber", () => {
  test("understands the words that JSON needs for NaN and infinity", () => {
    expect(toNumber("NaN")).toBeNaN();
    expect(toNumber("Infinity")).toBe(Infinity);
    expect(toNumber("-Infinity")).toBe(-Infinity);
  });
  test("makes a missing number NaN", () => {
    expect(toNumber(null)).toBeNaN();
    expect(toNumber(undefined)).toBeNaN();
  });
});

describe("formatNumber", () => {
  test.each<[Wire | undefined, string]>([
    [0, "0"],
    [-0, "0"],
    [-6, "−6"],
    [Math.SQRT1_2, "0.7071"],
    [100000, "100000"],
    [1e6, "1·10⁶"],
    [0.0001, "0.0001"],
    [0.00001, "1·10⁻⁵"],
    [-1.5e-7, "−1.5·10⁻⁷"],
    [2.5e120, "2.5·10¹²⁰"],
    ["Infinity", "∞"],
    ["-Infinity", "−∞"],
    ["NaN", "NaN"],
    [NaN, "NaN"],
    [-Infinity, "−∞"],
    [null, "–"],
    [undefined, "–"],
  ])("writes %s as %s", (x, text) => {
    expect(formatNumber(x)).toBe(text);
  });
  test("rounds to the given number of significant digits", () => {
    expect(formatNumber(Math.PI, 2)).toBe("3.1");
    expect(formatNumber(Math.PI, 6)).toBe("3.14159");
  });
});

test("signOf names a CSS class, and none for zero and NaN", () => {
  expect([-2, 3, 0, "NaN", "-Infinity"].map((x) => signOf(x as Wire))).toEqual([
    "negative",
    "positive",
    "",
    "",
    "negative",
  ]);
});
