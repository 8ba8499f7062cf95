import { describe, expect, test } from "vitest";
import { OPERATIONS, TABLE } from "../../src/rules/table";
import { Program, TAPE } from "../../src/rules/tape";

const { CONST, INPUT, LT, AND, OR, NOT, WHERE, FIRST_ROW } = OPERATIONS;
const NAMES = Object.keys(TABLE);
const row = (name: string) => FIRST_ROW + NAMES.indexOf(name);
const partial = (name: string, operand: number) => row(name) + (1 + operand) * NAMES.length;

function run(entries: number[][], constants: number[], wanted: number[], inputs: number[]): number[] {
  const flat = entries.flatMap((entry) => [...entry, -1, -1, -1].slice(0, 4));
  const program = new Program(Int32Array.from(flat), Float64Array.from(constants), Int32Array.from(wanted));
  const outputs = new Float64Array(wanted.length);
  program.run(Float64Array.from(inputs), outputs);
  return [...outputs];
}

describe("Program", () => {
  test("computes constants, inputs, rows and partial derivatives", () => {
    const entries = [
      [INPUT, 0],
      [CONST, 0],
      [row("*"), 0, 1],
      [row("tanh"), 2],
      [partial("tanh", 0), 3, 2],
    ];
    const [product, y, slope] = run(entries, [3], [2, 3, 4], [0.5]);
    expect(product).toBe(1.5);
    expect(y).toBe(Math.tanh(1.5));
    expect(slope).toBe(1 - Math.tanh(1.5) ** 2);
  });

  test("passes the result and both operands to a partial derivative", () => {
    const entries = [
      [INPUT, 0],
      [INPUT, 1],
      [row("/"), 0, 1],
      [partial("/", 0), 2, 0, 1],
      [partial("/", 1), 2, 0, 1],
    ];
    expect(run(entries, [], [2, 3, 4], [6, 4])).toEqual([1.5, 0.25, -0.375]);
  });

  test("NaN is true, as in Python, and chooses the first side", () => {
    const entries = [
      [INPUT, 0],
      [CONST, 0],
      [CONST, 1],
      [WHERE, 0, 1, 2],
      [AND, 0, 1],
      [OR, 0, 2],
      [NOT, 0],
      [LT, 0, 1],
    ];
    expect(run(entries, [7, 0], [3, 4, 5, 6, 7], [Number.NaN])).toEqual([7, 1, 1, 0, 0]);
    expect(run(entries, [7, 0], [3, 4, 5, 6, 7], [-0])).toEqual([0, 0, 0, 1, 1]);
  });

  test("drops entries that no output needs, and runs again with other inputs", () => {
    const flat = [INPUT, 0, -1, -1, row("exp"), 0, -1, -1, row("neg"), 0, -1, -1];
    const program = new Program(Int32Array.from(flat), new Float64Array(), Int32Array.of(2, 0));
    expect(program.operations).toBe(1);
    const outputs = new Float64Array(2);
    for (const x of [2, -0.5]) {
      program.run(Float64Array.of(x), outputs);
      expect([...outputs]).toEqual([-x, x]);
    }
  });
});

test("TAPE reads and writes arrays of Python, and releases their buffers", () => {
  let open = 0;
  const python = <T>(data: T) => ({
    getBuffer() {
      open += 1;
      const release = () => {
        open -= 1;
      };
      return { data, release };
    },
  });
  const entries = Int32Array.of(INPUT, 0, -1, -1, row("square"), 0, -1, -1);
  const made = TAPE.program(python(entries), python(new Float64Array()), python(Int32Array.of(1)));
  entries.fill(0); // the program has a copy
  const outputs = new Float64Array(1);
  made.run(python(Float64Array.of(3)), python(outputs));
  expect([made.operations, outputs[0], open]).toEqual([1, 9, 0]);
});
