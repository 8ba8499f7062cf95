// A course of questions: where somebody stands in it, the question that is asked, and the verdict. The engine makes the
// questions and judges the answers; the address holds the course, so that a shared one shows the same question.
import { batch, signal } from "@preact/signals";
import type { Scene } from "../../explore/model";
import type { MathElement } from "../../shared/math";
import { saveState } from "../../shared/fragment";
import { ask } from "../../shared/socket";

export interface Statement {
  text: string;
  math: MathElement | null;
}

export interface Question {
  id: string;
  subject: string;
  level: number;
  kind: "number" | "choice" | "node" | "order";
  prompt: string;
  formulas: Statement[];
  given: { name: string; value: unknown; text: string }[];
  scene: Scene | null;
  about: { what: "value" | "gradient" | "local" | "contribution"; node: string; parent: string | null } | null;
  accuracy?: string;
  options?: Statement[];
  nodes?: string[];
}

export interface Standing {
  right: number;
  asked: number;
  streak: number;
  misses: number;
  level: number;
}

export interface Verdict {
  question: string;
  right: boolean;
  given: string | null;
  mixes_up: string;
  answer: { value: unknown; text: string; math: MathElement | null };
  because: string;
  steps: string[];
  scene: Scene | null;
  standing: Standing;
}

export const LEVELS = [1, 2, 3, 4, 5];
const MOST_SEEDS = 1_000_000;
const FIRST: Standing = { right: 0, asked: 0, streak: 0, misses: 0, level: 1 };

interface Course {
  seed: number;
  number: number;
  /** Where somebody stood when the question was asked; the verdict says where they stand then. */
  standing: Standing;
}

export const course = signal<Course>({ seed: 0, number: 0, standing: FIRST });
export const question = signal<Question | null>(null);
export const verdict = signal<Verdict | null>(null);
/** Why there is no question, or why an answer cannot be read. */
export const problem = signal("");
export const isWaiting = signal(false);
let newest = 0;
let wanted: Course = course.value;

/** Where somebody stands now. */
export function now(): Standing {
  return verdict.value?.standing ?? course.value.standing;
}

function parseCount(given: URLSearchParams, name: string, least: number, most: number): number | undefined {
  const text = given.get(name) ?? "";
  return /^\d{1,7}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined;
}

/** Take up the course of an address; what it does not say, or says wrongly, begins anew. */
export function restore(given: URLSearchParams): void {
  const level = parseCount(given, "level", 1, LEVELS.length) ?? FIRST.level;
  const [right, asked, streak, misses] = ["right", "asked", "streak", "misses"].map(
    (name) => parseCount(given, name, 0, MOST_SEEDS) ?? 0,
  );
  const standing = { right: right!, asked: asked!, streak: streak!, misses: misses!, level };
  void load({
    seed: parseCount(given, "seed", 0, MOST_SEEDS - 1) ?? randomSeed(),
    number: parseCount(given, "number", 0, MOST_SEEDS) ?? 0,
    standing,
  });
}

function randomSeed(): number {
  return 1 + Math.floor(Math.random() * 9999);
}

/** Ask for the question at a place of a course; until it is there, the old one stays. */
async function load(at: Course): Promise<void> {
  const id = ++newest;
  wanted = at;
  isWaiting.value = true;
  try {
    const found = await ask("quiz", "next", { seed: at.seed, number: at.number, level: at.standing.level });
    if (id !== newest) return;
    batch(() => {
      course.value = at;
      question.value = found.question as Question;
      verdict.value = null;
      problem.value = "";
    });
    saveState("quiz", { seed: at.seed, number: at.number, ...at.standing });
  } catch (error) {
    if (id === newest) problem.value = (error as Error).message;
  }
  if (id === newest) isWaiting.value = false;
}

async function submit(doing: "answer" | "reveal", fields: Record<string, unknown>): Promise<void> {
  const asked = question.value;
  if (!asked || verdict.value || isWaiting.value) return;
  const id = ++newest;
  isWaiting.value = true;
  try {
    const found = await ask("quiz", doing, { question: asked.id, standing: course.value.standing, ...fields });
    if (id !== newest) return;
    problem.value = "";
    verdict.value = found as unknown as Verdict;
  } catch (error) {
    if (id === newest) problem.value = (error as Error).message;
  }
  if (id === newest) isWaiting.value = false;
}

export function answer(given: unknown): Promise<void> {
  return submit("answer", { answer: given });
}

export function reveal(): Promise<void> {
  return submit("reveal", {});
}

/** Go to the next question, with or without an answer to this one. */
export function next(): Promise<void> {
  return load({ ...course.value, number: course.value.number + 1, standing: now() });
}

export function begin(): Promise<void> {
  return load({ seed: randomSeed(), number: 0, standing: FIRST });
}

export function atLevel(level: number): Promise<void> {
  return load({ ...course.value, standing: { ...now(), level, streak: 0, misses: 0 } });
}

export function retry(): Promise<void> {
  return load(wanted);
}
