// The data of the component, and the anywidget model that the page, notebooks and recordings implement.

import type { MathElement } from "../shared/math";
import type { Wire } from "../shared/numbers";

export interface Node {
  index: number;
  name: string;
  op: string;
  sign: string;
  operands: ({ node: number } | { constant: unknown })[];
  formula: string;
  data: Summary;
  grad: Summary;
  uses: number;
  /** The computation with its numbers; undefined while a slider moves. */
  math?: MathElement | undefined;
}

export interface ArraySummary {
  shape: number[];
  dtype: string;
  min: Wire;
  mean: Wire;
  max: Wire;
  values: unknown;
}

export type Summary = Wire | ArraySummary | string;

export interface Step {
  phase: "forward" | "seed" | "backward" | "hook";
  node: number;
  text: string;
  math?: MathElement;
  operand?: number;
  parent?: number;
  derivative?: MathElement;
  local?: Wire;
  incoming?: Summary;
  contribution?: Summary;
  before?: Summary;
  after?: Summary;
}

export interface Scene {
  nodes: Node[];
  root: number;
  steps: Step[];
  inputs: string[];
  /** Whether the rules of the page can compute it: every operation is a row of the table, on numbers, without hooks. */
  computable: boolean;
  /** Whether the text of the current step belongs to earlier numbers. */
  isOutdated?: boolean;
}

export interface Preset {
  title: string;
  expression: string;
  numbers: Record<string, number>;
}

/** The part of the anywidget model that Explore uses. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: (...args: never[]) => void): void;
  off(event: string, callback?: ((...args: never[]) => void) | null): void;
  send(content: unknown): void;
}

type Answer = { id?: number; ok?: Record<string, unknown>; error?: string };
let requestCount = 0;

/** Send a request through the model and wait for the answer. */
export function request(
  model: Model,
  command: string,
  fields: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const id = ++requestCount;
    const onAnswer = (answer: Answer) => {
      if (answer.id !== id) return;
      model.off("msg:custom", onAnswer);
      if (answer.error !== undefined) reject(new Error(answer.error));
      else resolve(answer.ok ?? {});
    };
    model.on("msg:custom", onAnswer);
    model.send({ id, do: command, ...fields });
  });
}

/** A model of a recording: it can be played, but not changed. */
export function recordingModel(recording: { scene: Scene; title: string; at: number | null }): Model {
  const state: Record<string, unknown> = { ...recording, kind: "recording", error: "", numbers: {}, presets: [] };
  const callbacks = new Map<string, Set<() => void>>();
  return {
    get: (name) => state[name],
    set: (name, value) => {
      state[name] = value;
      for (const callback of callbacks.get(`change:${name}`) ?? []) callback();
    },
    save_changes: () => undefined,
    on: (event, callback) => void callbacks.set(event, (callbacks.get(event) ?? new Set()).add(callback)),
    off: (event, callback) => void (callback && callbacks.get(event)?.delete(callback)),
    send: () => undefined,
  };
}

/** The node or edge under the pointer, by index. */
export type Hovered = { node: number } | { edge: number } | null;

/** The backward step along an edge. */
export function stepOf(scene: Scene, edge: { to: number; operand: number }): Step | undefined {
  return scene.steps.find(
    (step) => step.phase === "backward" && step.node === edge.to && step.operand === edge.operand,
  );
}

export function isArray(x: Summary | undefined): x is ArraySummary {
  return typeof x === "object" && x !== null;
}
