// The state of the room Learn as signals, and its actions.
import { batch, computed, signal } from "@preact/signals";
import { ask, Disconnected, type Message, onEvent, onReconnect } from "../../shared/connection";
import { pushState, saveState } from "../../shared/fragment";
import type { Course, Exercise, ExerciseTitle, Heading, Lesson, Outcome } from "./messages";
import {
  fileText,
  hintsSeen,
  isSolved,
  onOtherTab,
  place,
  saveBefore,
  saveFile,
  saveHints,
  savePlace,
  saveSolved,
  saveTaken,
  solvedWith,
  takenText,
} from "./progress";

const LOST = "The connection was lost while your program was running. Check again.";

export const course = signal<Course | null>(null);
export const lesson = signal<Lesson | null>(null);
export const exercise = signal<Exercise | null>(null);
export const showsOverview = signal(false);
export const outcome = signal<Outcome | null>(null);
export const isRunning = signal(false);
/** Why the course or the result of a check is missing. */
export const problem = signal("");
export const solution = signal<{ text: string; why: string } | null>(null);
/** Whether the solution was requested once; it is shown at the second request, or after success. */
export const isSolutionAsked = signal(false);
/** Replaces the text of the editor; set by the editor, so that the change can be undone there. */
export const editorText = signal<{ text: string; count: number }>({ text: "", count: 0 });

export const titles = computed(() => course.value?.lessons.flatMap((heading) => heading.exercises) ?? []);
/** What the page scrolls to after it has been drawn: the place of an exercise, a height, or nothing. */
export const target = signal<Target | null>(null);
type Target = { exercise: string } | { y: number };
const TOP = { y: 0 };

let text = "";
let run = 0;
let latest = 0;
/** Where the learner was reading when another room was opened. */
let reading: { lesson: string; exercise: string | undefined; y: number } | null = null;

/** Remember the place in the text while another room is open. */
export function leave(y: number): void {
  if (lesson.value && !showsOverview.value) reading = { lesson: lesson.value.name, exercise: exercise.value?.name, y };
}

/** The exercise before or after the current one, in the order of the course. */
export function neighbor(by: 1 | -1): ExerciseTitle | undefined {
  const at = titles.value.findIndex(({ name }) => name === exercise.value?.name);
  return at < 0 ? undefined : titles.value[at + by];
}

export function lessonOf(name: string): Heading | undefined {
  return course.value?.lessons.find(({ exercises }) => exercises.some((other) => other.name === name));
}

/** Open what an address names: an exercise, a lesson by name or number, the overview, or the first unsolved exercise. */
export async function restore(params: URLSearchParams): Promise<void> {
  const id = ++latest;
  try {
    course.value ??= (await ask("learn", "course")).course as Course;
  } catch (error) {
    problem.value = (error as Error).message;
    return;
  }
  if (id !== latest) return;
  problem.value = "";
  const [wanted, asked, before] = [params.get("lesson"), params.get("exercise") ?? "", reading];
  reading = null;
  const heading = course.value.lessons.find(({ name, number }) => name === wanted || String(number) === wanted);
  const same = before && course.value.lessons.find(({ name }) => name === before.lesson);
  if (params.get("view") === "course") openOverview(saveState);
  else if (same && (asked ? asked === before.exercise : heading === same))
    await open(same, before.exercise, { y: before.y }, saveState);
  else if (lessonOf(asked)) await openExercise(asked, undefined, saveState);
  else if (heading) await openLesson(heading, saveState);
  else {
    const unsolved = titles.value.filter(({ name }) => !isSolved(name));
    const next = unsolved.find(({ name }) => name === place()) ?? unsolved[0] ?? titles.value[0];
    if (next) await openExercise(next.name, undefined, saveState);
    else openOverview(saveState);
  }
}

/** `save` writes the address: it adds an entry to the history, unless the address was there first. */
export function openOverview(save = pushState): void {
  latest += 1;
  batch(() => {
    showsOverview.value = true;
    target.value = TOP;
  });
  save("learn", { view: "course" });
}

/** Open a lesson at its first unsolved exercise. */
export async function openLesson(heading: Heading, save = pushState): Promise<void> {
  const next = heading.exercises.find(({ name }) => !isSolved(name)) ?? heading.exercises[0];
  await open(heading, next?.name, TOP, save);
}

/** Open an exercise; `from` is the exercise after which the learner continues to read. */
export async function openExercise(name: string, from?: string, save = pushState): Promise<void> {
  const heading = lessonOf(name);
  if (!heading) return;
  const isFirst = heading.exercises[0]?.name === name;
  const isSame = from !== undefined && heading === lessonOf(from);
  await open(heading, name, isSame ? { exercise: from } : isFirst ? TOP : { exercise: name }, save);
}

async function open(heading: Heading, name: string | undefined, scrollTo: Target, save: typeof saveState) {
  const id = ++latest;
  let found = lesson.value;
  if (found?.name !== heading.name) {
    try {
      found = (await ask("learn", "lesson", { lesson: heading.name })).lesson as Lesson;
    } catch (error) {
      if (id === latest) problem.value = (error as Error).message;
      return;
    }
  }
  if (id !== latest) return;
  batch(() => {
    lesson.value = found;
    showsOverview.value = false;
    problem.value = "";
    target.value = scrollTo;
    select(found.exercises.find((other) => other.name === name) ?? null);
  });
  save("learn", name ? { exercise: name } : { lesson: heading.name });
}

/** Show an exercise of the current lesson in the editor. */
function select(next: Exercise | null): void {
  if (next === exercise.value) return;
  stop();
  exercise.value = next;
  outcome.value = null;
  solution.value = null;
  isSolutionAsked.value = false;
  if (!next) return;
  savePlace(next.name);
  text = fileText(next.file) ?? next.stub;
  editorText.value = { text, count: 0 };
}

/** Show an exercise of the current lesson in the editor, and leave the text where it is. */
export function choose(name: string): void {
  latest += 1;
  select(lesson.value?.exercises.find((other) => other.name === name) ?? null);
  saveState("learn", { exercise: name });
}

// --- the editor ---------------------------------------------------------------------------------------------------------

/** The line of the editor at which the latest check found a problem; null if the text has changed since the check began. */
export function problemLine(): number | null {
  const [result, file] = [outcome.value?.result, exercise.value?.file];
  if (!result || result.status === "passed" || text !== checked) return null;
  return result.places.findLast((place) => place.file === file)?.line ?? null;
}

/** The learner has changed the text. */
export function edit(changed: string): void {
  text = changed;
  if (exercise.value) saveFile(exercise.value.file, changed);
}

function replaceText(by: string): void {
  editorText.value = { text: by, count: editorText.value.count + 1 };
  edit(by);
}

/** Whether the text of the editor is the stub or the solution. */
export function isOurs(): boolean {
  const current = exercise.value;
  if (!current || editorText.value.count < 0) return false; // a new count renders again
  return text === current.stub || text === takenText(current.file);
}

/** Replace the text, and keep it if it is the learner's. */
function replaceAndKeep(by: string): void {
  if (!exercise.value || text === by) return;
  if (!isOurs()) saveBefore(exercise.value.file, text);
  replaceText(by);
}

/** Write the stub again. */
export function reset(): void {
  if (exercise.value) replaceAndKeep(exercise.value.stub);
}

/** Bring back the text before the last reset, or before the solution. */
export const restoreText = replaceAndKeep;

/** Put the solution into the editor. */
export function takeSolution(): void {
  if (!exercise.value || !solution.value) return;
  replaceAndKeep(solution.value.text);
  saveTaken(exercise.value.file, solution.value.text);
}

// --- checks ---------------------------------------------------------------------------------------------------------------

export async function check(): Promise<void> {
  const current = exercise.value;
  if (!current || course.value?.refusal) return;
  const id = ++run;
  const modules: Record<string, string> = {};
  for (const name of current.uses) {
    const own = solvedWith(name);
    if (own !== null) modules[name] = own;
  }
  checked = text;
  batch(() => {
    outcome.value = null;
    problem.value = "";
    isRunning.value = true;
  });
  try {
    await ask("learn", "check", { run: id, exercise: current.name, source: text, modules });
    started = id;
  } catch (error) {
    if (id !== run) return;
    problem.value = error instanceof Disconnected ? LOST : (error as Error).message;
    isRunning.value = false;
  }
}

let checked = "";
let started = 0; // the check that the server has accepted

export function stop(): void {
  if (!isRunning.value) return;
  void ask("learn", "stop").catch(() => undefined);
}

function receive(event: Message): void {
  if (event.event !== "outcome" || event.run !== run) return;
  const found = event as unknown as Outcome;
  if (found.result.status === "passed") saveSolved(found.exercise, checked);
  batch(() => {
    isRunning.value = false;
    if (found.exercise === exercise.value?.name) outcome.value = found;
  });
}

export function nextHint(): void {
  const current = exercise.value;
  if (current) saveHints(current.name, Math.min(hintsSeen(current.name) + 1, current.hints.length));
}

/** Show the solution after success; before that at the second request. */
export async function showSolution(): Promise<void> {
  const current = exercise.value;
  if (!current) return;
  if (!isSolved(current.name) && !isSolutionAsked.value) {
    isSolutionAsked.value = true;
    return;
  }
  try {
    const found = await ask("learn", "solution", { exercise: current.name });
    if (current === exercise.value) solution.value = { text: String(found.solution), why: String(found.why) };
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

export function hideSolution(): void {
  solution.value = null;
}

/** The scene of a graph in the text with other numbers. */
export async function moveGraph(expression: string, numbers: Record<string, number>): Promise<unknown> {
  return (await ask("learn", "graph", { expression, numbers })).scene;
}

onEvent("learn", receive);
onReconnect(() => {
  if (!isRunning.value || started !== run) return; // a check that was not sent yet is sent now
  problem.value = LOST;
  isRunning.value = false;
});
onOtherTab((file, changed) => {
  if (file !== exercise.value?.file || changed === text) return;
  text = changed;
  editorText.value = { text, count: editorText.value.count + 1 };
});
