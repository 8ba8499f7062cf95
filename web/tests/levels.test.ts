// Imports point downward only: rules ← shared ← explore ← rooms ← shell ← site.
import { expect, test } from "vitest";

const sources = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** What the files of a folder may import, apart from their own folder. The first entry that fits a file counts. */
const BELOW: Record<string, string[]> = {
  "shared/numbers": [],
  rules: ["shared/numbers"],
  shared: ["shared/numbers", "rules"],
  page: ["rules"],
  explore: ["shared", "shared/numbers", "rules"],
  "rooms/explore": ["shared", "shared/numbers", "explore"],
  "rooms/train": ["shared", "shared/numbers", "explore", "rooms/explore"],
  "rooms/mistakes": ["shared", "shared/numbers", "explore"],
  "rooms/quiz": ["shared", "shared/numbers", "explore"],
  "rooms/learn": ["shared", "shared/numbers", "explore"],
  site: ["shared", "rooms/explore", "shell"],
  shell: ["shared", "rooms/explore", "rooms/train", "rooms/mistakes", "rooms/quiz", "rooms/learn"],
};

const files = Object.keys(sources).map((path) => path.replace("../src/", ""));
const folderOf = (path: string) =>
  Object.keys(BELOW).find((folder) => `${path}/`.replace(".", "/").startsWith(`${folder}/`));

function importsOf(file: string): string[] {
  const source = sources[`../src/${file}`]!.replace(/^import type .*;$/gm, ""); // a type is not part of the build
  const specifiers = [...source.matchAll(/(?:from|import) "(\.[^"]+)"/g)].map((match) => match[1]!);
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
