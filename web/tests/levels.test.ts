// Imports point downward only: shared ← explore ← rooms ← shell.
import { expect, test } from "vitest";

const sources = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** What the files of a folder may import, apart from their own folder. */
const BELOW: Record<string, string[]> = {
  shared: [],
  explore: ["shared"],
  "rooms/explore": ["shared", "explore"],
  "rooms/train": ["shared", "explore", "rooms/explore"],
  "rooms/mistakes": ["shared", "explore"],
  "rooms/quiz": ["shared", "explore"],
  "rooms/learn": ["shared", "explore"],
  shell: ["shared", "rooms/explore", "rooms/train", "rooms/mistakes", "rooms/quiz", "rooms/learn"],
};

const files = Object.keys(sources).map((path) => path.replace("../src/", ""));
const folderOf = (path: string) =>
  Object.keys(BELOW).find((folder) => path === folder || path.startsWith(`${folder}/`));

function importsOf(file: string): string[] {
  const specifiers = [...sources[`../src/${file}`]!.matchAll(/(?:from|import) "(\.[^"]+)"/g)].map((match) => match[1]!);
  return specifiers.map((specifier) => new URL(specifier, `file:///${file}`).pathname.slice(1));
}

test("every source file is in a known folder", () => {
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => !folderOf(file))).toEqual([]);
});

test.each(Object.keys(BELOW))("%s imports only what is below it", (folder) => {
  const allowed = new Set([folder, ...BELOW[folder]!]);
  const wrong = files
    .filter((file) => folderOf(file) === folder)
    .flatMap((file) => importsOf(file).map((target) => `${file} imports ${target}`))
    .filter((line) => !allowed.has(folderOf(line.split(" imports ")[1]!) ?? "?"));
  expect(wrong).toEqual([]);
});
