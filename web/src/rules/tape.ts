// Replay of a tape, the JavaScript twin of compile/numbers/replay.py: a program of single numbers, one operation after another.
//
// The operations are those of compile/numbers/replay.py. Arithmetic gives the same bits as in Python; functions such as exp and
// tanh are those of JavaScript, whose last bit may differ.

import { OPERATIONS, TABLE } from "./table";

const { CONST, INPUT, LT, LE, GT, GE, EQ, NE, AND, OR, NOT, WHERE, FIRST_ROW } = OPERATIONS;
const NAMES = Object.keys(TABLE);
const ROWS = Object.values(TABLE);
const ADD = FIRST_ROW + NAMES.indexOf("+");
const SUB = FIRST_ROW + NAMES.indexOf("-");
const MUL = FIRST_ROW + NAMES.indexOf("*");
const DIV = FIRST_ROW + NAMES.indexOf("/");

/** An operation as a function of its operands: a, b and c of an entry. */
type Operation = (a: number, b: number, c: number) => number;

const LOGIC: Record<number, Operation> = {
  [LT]: (x, z) => (x < z ? 1 : 0),
  [LE]: (x, z) => (x <= z ? 1 : 0),
  [GT]: (x, z) => (x > z ? 1 : 0),
  [GE]: (x, z) => (x >= z ? 1 : 0),
  [EQ]: (x, z) => (x === z ? 1 : 0),
  [NE]: (x, z) => (x !== z ? 1 : 0),
  [AND]: (x, z) => (x !== 0 && z !== 0 ? 1 : 0), // not `x && z`: NaN is true in Python
  [OR]: (x, z) => (x !== 0 || z !== 0 ? 1 : 0),
  [NOT]: (x) => (x === 0 ? 1 : 0),
  [WHERE]: (condition, x, z) => (condition !== 0 ? x : z),
};

/** Return an operation by its number: a row of the table, or a partial derivative of one. */
function operation(op: number): Operation {
  if (op < FIRST_ROW) return LOGIC[op]!;
  const row = ROWS[(op - FIRST_ROW) % ROWS.length]!;
  const part = Math.floor((op - FIRST_ROW) / ROWS.length);
  return part ? row.partials[part - 1]! : row.forward;
}

/** The entries of a tape that its outputs depend on, ready to run with other inputs. */
export class Program {
  readonly operations: number; // how many there are
  private readonly numbers: Float64Array; // of all entries
  private readonly steps: Int32Array; // the operations: op, entry, a, b, c
  private readonly functions: Operation[] = []; // by the number of the operation
  private readonly reads: Int32Array; // pairs of an entry and the input that it is
  private readonly wanted: Int32Array; // the entries of the outputs

  /** Entries are (op, a, b, c) each, with -1 for operands that an operation does not have. */
  constructor(entries: Int32Array, constants: Float64Array, wanted: Int32Array) {
    const size = entries.length / 4;
    this.numbers = new Float64Array(size);
    this.wanted = wanted;
    const live = liveEntries(entries, wanted);
    const steps = new Int32Array(5 * size);
    const reads: number[] = [];
    let end = 0;
    for (let i = 0; i < size; i++) {
      const op = entries[4 * i]!;
      const a = entries[4 * i + 1]!;
      if (!live[i]) continue;
      if (op === CONST) this.numbers[i] = constants[a]!;
      else if (op === INPUT) reads.push(i, a);
      else {
        this.functions[op] ??= operation(op);
        steps[end] = op;
        steps[end + 1] = i;
        for (let k = 1; k < 4; k++) steps[end + 1 + k] = Math.max(entries[4 * i + k]!, 0); // unused: any entry
        end += 5;
      }
    }
    this.steps = steps.slice(0, end);
    this.reads = Int32Array.from(reads);
    this.operations = end / 5;
  }

  /** Compute the outputs from the inputs. */
  run(inputs: Float64Array, outputs: Float64Array): void {
    const { numbers, steps, functions, reads, wanted } = this;
    for (let i = 0; i < reads.length; i += 2) numbers[reads[i]!] = inputs[reads[i + 1]!]!;
    for (let i = 0; i < steps.length; i += 5) {
      const op = steps[i]!;
      const out = steps[i + 1]!;
      const a = numbers[steps[i + 2]!]!;
      const b = numbers[steps[i + 3]!]!;
      if (op === MUL) numbers[out] = a * b;
      else if (op === ADD) numbers[out] = a + b;
      else if (op === SUB) numbers[out] = a - b;
      else if (op === DIV) numbers[out] = a / b;
      else numbers[out] = functions[op]!(a, b, numbers[steps[i + 4]!]!);
    }
    for (let i = 0; i < wanted.length; i++) outputs[i] = numbers[wanted[i]!]!;
  }
}

/** Return which entries the wanted ones depend on: 1 for each of them. */
function liveEntries(entries: Int32Array, wanted: Int32Array): Uint8Array {
  const live = new Uint8Array(entries.length / 4);
  for (const entry of wanted) live[entry] = 1;
  for (let i = live.length - 1; i >= 0; i--) {
    if (!live[i] || entries[4 * i]! <= INPUT) continue;
    for (let k = 4 * i + 1; k < 4 * i + 4; k++) if (entries[k]! >= 0) live[entries[k]!] = 1;
  }
  return live;
}

/** An array of Python in Pyodide; its buffer is a view of Python's memory until it is released. */
interface PythonArray<T> {
  getBuffer: () => { data: T; release: () => void };
}

function copyOf<T extends Int32Array | Float64Array>(array: PythonArray<T>): T {
  const buffer = array.getBuffer();
  const copy = buffer.data.slice() as T;
  buffer.release();
  return copy;
}

type Ints = PythonArray<Int32Array>;
type Floats = PythonArray<Float64Array>;

/** The module `adjoint_tape` that compile/numbers/page_programs.py imports: `pyodide.registerJsModule("adjoint_tape", TAPE)`. */
export const TAPE = {
  program(entries: Ints, constants: Floats, wanted: Ints) {
    const made = new Program(copyOf(entries), copyOf(constants), copyOf(wanted));
    return {
      operations: made.operations,
      run(inputs: Floats, outputs: Floats): void {
        const [from, to] = [inputs.getBuffer(), outputs.getBuffer()];
        try {
          made.run(from.data, to.data);
        } finally {
          from.release();
          to.release();
        }
      },
    };
  },
};
