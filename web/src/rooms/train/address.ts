// The training in the address of the page: what differs from the preset of its data, the steps taken, and the changes.
import type { Choices, Configuration, State } from "./messages";

const WORDS = ["activation", "loss", "optimizer", "engine"] as const;
const NUMBERS = ["samples", "noise", "classes", "held_out", "seed", "lr", "l2"] as const;

type Row = [number, number, number];

const written = (rows: Row[]) => rows.map((row) => row.join("_")).join("!");
const read = (text: string): number[][] => (text ? text.split("!").map((row) => row.split("_").map(Number)) : []);

export function asAddress(state: State, step: number, choices: Choices): Record<string, string | number | undefined> {
  const now = state.configuration;
  const preset = choices.presets.find(({ dataset }) => dataset === now.dataset);
  const shown: Record<string, string | number | undefined> = { data: now.dataset };
  const differs = (name: keyof Configuration) => JSON.stringify(now[name]) !== JSON.stringify(preset?.[name]);
  for (const name of [...WORDS, ...NUMBERS]) if (differs(name)) shown[name] = now[name];
  if (differs("hidden")) shown.hidden = now.hidden.join(",");
  if (differs("batch_size")) shown.batch_size = now.batch_size ?? "all";
  if (now.rows.length) {
    shown.rows = written(now.rows);
    shown.labels = now.labels.join("!");
  }
  if (now.points.length) shown.points = written(now.points);
  if (step) shown.steps = step;
  if (state.changes.length) shown.changes = JSON.stringify(state.changes);
  return shown;
}

/** What an address asks for; the engine checks every field. */
export function fromAddress(
  given: URLSearchParams,
): { configuration: Record<string, unknown>; steps: number; changes: unknown } | null {
  const dataset = given.get("data");
  if (!dataset) return null;
  const configuration: Record<string, unknown> = { dataset };
  for (const name of WORDS) if (given.has(name)) configuration[name] = given.get(name);
  for (const name of NUMBERS) if (given.has(name)) configuration[name] = Number(given.get(name));
  const hidden = given.get("hidden");
  if (hidden !== null) configuration.hidden = hidden === "" ? [] : hidden.split(",").map(Number);
  const batch = given.get("batch_size");
  if (batch !== null) configuration.batch_size = batch === "all" ? null : Number(batch);
  if (given.has("rows")) configuration.rows = read(given.get("rows")!);
  if (given.has("labels")) configuration.labels = given.get("labels")!.split("!");
  if (given.has("points")) configuration.points = read(given.get("points")!);
  let changes: unknown = [];
  try {
    changes = JSON.parse(given.get("changes") ?? "[]");
  } catch {
    changes = given.get("changes"); // which the engine refuses, in words
  }
  return { configuration, steps: Number(given.get("steps") ?? 0), changes };
}
