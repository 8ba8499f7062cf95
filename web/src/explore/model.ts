// What the component is given: the contract of anywidget, kept by the page, by a notebook and by a recording alike.

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
  /** How it was computed, with numbers; not there while these are moving. */
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
}

export interface Preset {
  title: string;
  expression: string;
  numbers: Record<string, number>;
}

/** The part of anywidget's model that is used here. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: (...given: never[]) => void): void;
  off(event: string, callback?: ((...given: never[]) => void) | null): void;
  send(content: unknown): void;
}

type Answer = { id?: number; ok?: Record<string, unknown>; error?: string };
let count = 0;

/** Ask whoever computes, by a message of the model, and wait for the answer. */
export function request(
  model: Model,
  doing: string,
  fields: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const id = ++count;
    const heard = (answer: Answer) => {
      if (answer.id !== id) return;
      model.off("msg:custom", heard);
      if (answer.error !== undefined) reject(new Error(answer.error));
      else resolve(answer.ok ?? {});
    };
    model.on("msg:custom", heard);
    model.send({ id, do: doing, ...fields });
  });
}

/** A model of what was recordingModel: it can be played, and nothing else. */
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

export function isArray(x: Summary | undefined): x is ArraySummary {
  return typeof x === "object" && x !== null;
}
