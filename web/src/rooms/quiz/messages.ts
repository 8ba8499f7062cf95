// Generated from adjoint_lab.protocol.quiz by `make web`; do not edit.
import type { Scene } from "../../explore/model";
import type { MathElement } from "../../shared/math";

/** Questions that can be chosen: those of a topic, or those of a lesson. */
export interface Topic {
  name: string;
  title: string;
}

/** All topics and lessons. */
export interface Catalog {
  topics: Topic[];
  lessons: Topic[];
}

/** A text, and the same as a formula if it is one. */
export interface Statement {
  text: string;
  math: MathElement | null;
}

/** A given number, shape or array. */
export interface Given {
  name: string;
  value: unknown;
  text: string;
}

/** The part of the graph that is asked for. */
export interface About {
  what: "value" | "gradient" | "local" | "contribution";
  node: string;
  parent: string | null;
}

/** A question, without its answer. */
export interface Question {
  id: string;
  subject: string;
  level: number;
  kind: "number" | "choice" | "node" | "order";
  prompt: string;
  formulas: Statement[];
  given: Given[];
  scene: Scene | null;
  about: About | null;
  accuracy?: string;
  options?: Statement[];
  nodes?: string[];
}

/** The score and the level of the user. */
export interface Standing {
  right: number;
  asked: number;
  streak: number;
  misses: number;
  level: number;
}

/** The correct answer. */
export interface Answer {
  value: unknown;
  text: string;
  math: MathElement | null;
}

/** Whether an answer is correct, what a wrong one mixes up, the correct answer, and why. */
export interface Verdict {
  question: string;
  right: boolean;
  given: string | null;
  confusion: string;
  answer: Answer;
  because: string;
  steps: string[];
  scene: Scene | null;
  standing: Standing;
}
