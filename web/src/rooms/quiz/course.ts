// A course of questions: the progress of the user, the current question and its verdict. The server creates the questions
// and checks the answers; the address identifies the question, so that a shared link shows the same one.
import { batch, signal } from "@preact/signals";
import { ask, Disconnected } from "../../shared/connection";
import { saveState } from "../../shared/fragment";
import type { Catalog, Question, Standing, Verdict } from "./messages";

export const LEVELS = [1, 2, 3, 4, 5];
const MAX_COUNT = 1_000_000;
const INITIAL: Standing = { right: 0, asked: 0, streak: 0, misses: 0, level: 1 };

interface Course {
  seed: number;
  number: number;
  /** The names of the chosen topics; none for all of them. */
  topics: string[];
  /** The lesson whose questions are asked, in place of topics; empty for none. */
  lesson: string;
  /** The standing before the current question; the verdict contains the one after it. */
  standing: Standing;
}

export const course = signal<Course>({ seed: 0, number: 0, topics: [], lesson: "", standing: INITIAL });
export const catalog = signal<Catalog>({ topics: [], lessons: [] });
export const question = signal<Question | null>(null);
export const verdict = signal<Verdict | null>(null);
/** Why there is no question, or why the answer was not accepted. */
export const problem = signal("");
export const isWaiting = signal(false);
let latestRequest = 0;
let requestedCourse: Course = course.value;

/** The current standing. */
export function standing(): Standing {
  return verdict.value?.standing ?? course.value.standing;
}

function parseCount(params: URLSearchParams, name: string, min: number, max: number): number | undefined {
  const text = params.get(name) ?? "";
  return /^\d{1,7}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;
}

/** Restore the course of an address; missing and invalid parameters get their defaults. */
export function restore(params: URLSearchParams): void {
  const count = (name: string) => parseCount(params, name, 0, MAX_COUNT) ?? 0;
  const level = parseCount(params, "level", 1, LEVELS.length) ?? INITIAL.level;
  void load({
    seed: parseCount(params, "seed", 0, MAX_COUNT - 1) ?? randomSeed(),
    number: count("number"),
    topics: [...new Set((params.get("topic") ?? "").split(",").filter(Boolean))],
    lesson: params.get("lesson") ?? "",
    standing: { right: count("right"), asked: count("asked"), streak: count("streak"), misses: count("misses"), level },
  });
}

function randomSeed(): number {
  return 1 + Math.floor(Math.random() * 9999);
}

/** Request a question of a course; the old question stays until the answer arrives. */
async function load(at: Course): Promise<void> {
  const id = ++latestRequest;
  requestedCourse = at;
  isWaiting.value = true;
  try {
    const topics = at.lesson ? [at.lesson] : at.topics;
    const result = await ask("quiz", "next", { seed: at.seed, number: at.number, level: at.standing.level, topics });
    if (id !== latestRequest) return;
    batch(() => {
      course.value = at;
      question.value = result.question as Question;
      verdict.value = null;
      problem.value = "";
    });
    saveState("quiz", {
      topic: at.lesson ? undefined : at.topics.join(",") || undefined,
      lesson: at.lesson || undefined,
      seed: at.seed,
      number: at.number,
      ...at.standing,
    });
  } catch (error) {
    if (id !== latestRequest) return;
    const isChosen = at.lesson !== "" || at.topics.length > 0;
    // The address may name an unknown topic: ask from all of them, but keep the message.
    if (isChosen && !(error instanceof Disconnected)) await load({ ...at, topics: [], lesson: "" });
    isWaiting.value = false;
    problem.value = (error as Error).message;
  }
  if (id === latestRequest) isWaiting.value = false;
}

async function submit(command: "answer" | "reveal", fields: Record<string, unknown>): Promise<void> {
  const current = question.value;
  if (!current || verdict.value || isWaiting.value) return;
  const id = ++latestRequest;
  isWaiting.value = true;
  try {
    const result = await ask("quiz", command, { question: current.id, standing: course.value.standing, ...fields });
    if (id !== latestRequest) return;
    problem.value = "";
    verdict.value = result as unknown as Verdict;
  } catch (error) {
    if (id === latestRequest) problem.value = (error as Error).message;
  }
  if (id === latestRequest) isWaiting.value = false;
}

export function answer(given: unknown): Promise<void> {
  return submit("answer", { answer: given });
}

export function reveal(): Promise<void> {
  return submit("reveal", {});
}

/** Go to the next question; the current one may be unanswered. */
export function next(): Promise<void> {
  return load({ ...course.value, number: course.value.number + 1, standing: standing() });
}

export function startCourse(): Promise<void> {
  return load({ ...course.value, seed: randomSeed(), number: 0, standing: INITIAL });
}

export function setTopics(topics: string[]): Promise<void> {
  return load({ ...course.value, topics, lesson: "", standing: standing() });
}

export function setLesson(lesson: string): Promise<void> {
  return load({ ...course.value, topics: [], lesson, standing: standing() });
}

export async function loadCatalog(): Promise<void> {
  try {
    catalog.value = (await ask("quiz", "list", {})) as unknown as Catalog;
  } catch {
    // Without a connection there is no question either, and the page says so.
  }
}

export function setLevel(level: number): Promise<void> {
  return load({ ...course.value, standing: { ...standing(), level, streak: 0, misses: 0 } });
}

export function retry(): Promise<void> {
  return load(requestedCourse);
}
