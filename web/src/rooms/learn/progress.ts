// The learner's progress in the browser: files, solved exercises, hints and the current place. Each has a key of its own, so
// that two tabs do not overwrite each other's work.
import { signal } from "@preact/signals";

const PREFIX = "adjoint.learn.";
/** What the browser refused to store, because its storage is full or disabled. It lasts as long as the page. */
const memory = new Map<string, string>();
export const isStored = signal(true);

/** Counts changes, so that components that read progress render again. */
const changes = signal(0);

function read(key: string): string | null {
  try {
    return memory.get(key) ?? localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + key, value);
    memory.delete(key);
  } catch {
    memory.set(key, value);
  }
  isStored.value = memory.size === 0;
}

function update(key: string, value: string): void {
  write(key, value);
  changes.value += 1;
}

/** The learner's text of a file; null if it was never changed. */
export const fileText = (file: string) => read(`file:${file}`);
export const saveFile = (file: string, text: string) => write(`file:${file}`, text);

/** Call `listener` with the new text of a file that another tab has changed. */
export function onOtherTab(listener: (file: string, text: string) => void): void {
  addEventListener("storage", ({ key, newValue }) => {
    const start = `${PREFIX}file:`;
    if (key?.startsWith(start) && newValue !== null) listener(key.slice(start.length), newValue);
  });
}

/** The solution that was last put into a file; null if there was none. */
export const takenText = (file: string) => read(`taken:${file}`);
export const saveTaken = (file: string, text: string) => write(`taken:${file}`, text);

/** The text before the last reset; null if there was none. */
export const textBefore = (file: string) => changes.value >= 0 && read(`before:${file}`);
export const saveBefore = (file: string, text: string) => update(`before:${file}`, text);

/** The program with which an exercise was solved; null if it is not solved. */
export const solvedWith = (exercise: string) => (changes.value >= 0 ? read(`solved:${exercise}`) : null);
export const isSolved = (exercise: string) => solvedWith(exercise) !== null;
export const saveSolved = (exercise: string, text: string) => update(`solved:${exercise}`, text);

export const hintsSeen = (exercise: string) => (changes.value >= 0 && Number(read(`hints:${exercise}`))) || 0;
export const saveHints = (exercise: string, count: number) => update(`hints:${exercise}`, String(count));

export const place = () => read("place");
export const savePlace = (exercise: string) => write("place", exercise);

addEventListener("storage", ({ key }) => {
  if (key === null || key.startsWith(PREFIX)) changes.value += 1;
});
