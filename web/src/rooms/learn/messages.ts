// Generated from adjoint_lab.protocol.learn by `make web`; do not edit.
import type { Scene } from "../../explore/model";

/** The graph of the learner's Values as text and as SVG. The first wrong node is marked. */
export interface Graph {
  text: string;
  svg: string;
}

/** A line of the learner's program. */
export interface Place {
  file: string;
  line: number;
  code: string;
}

/** What a check found. */
export interface Result {
  status: "passed" | "failed" | "error" | "stopped";
  message: string;
  wrong_answer: string;
  advice: string;
  places: Place[];
  graph: Graph | null;
  notes: string[];
  output: string;
}

/** An exercise in the overview. */
export interface ExerciseTitle {
  name: string;
  title: string;
  file: string;
}

/** A lesson in the overview. */
export interface Heading {
  name: string;
  number: number;
  title: string;
  exercises: ExerciseTitle[];
}

/** The overview of the course. `refusal` says why programs do not run; it is empty if they do. */
export interface Course {
  title: string;
  introduction: string;
  lessons: Heading[];
  refusal: string;
}

/** A graph in the text, whose inputs can be moved. */
export interface LiveGraph {
  expression: string;
  numbers: Record<string, number>;
  gradients: boolean;
  scene: Scene;
}

/** A part of the text: Markdown, a program, a picture, a graph, or the place of an exercise. */
export interface Block {
  kind: "markdown" | "program" | "figure" | "graph" | "exercise";
  text: string;
  svg: string;
  graph: LiveGraph | null;
}

/** What a page shows of an exercise. */
export interface Exercise {
  name: string;
  title: string;
  task: string;
  file: string;
  uses: string[];
  hints: string[];
  stub: string;
  added: string;
  missing: string;
}

/** A lesson: its text and its exercises. */
export interface Lesson {
  name: string;
  number: number;
  title: string;
  blocks: Block[];
  exercises: Exercise[];
}

/** The event at the end of a check. `ours` names the files for which the solution of the course was used. */
export interface Outcome {
  room: "learn";
  event: "outcome";
  run: number;
  exercise: string;
  result: Result;
  why: string;
  ours: string[];
}
