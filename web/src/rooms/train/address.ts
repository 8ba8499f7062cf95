// A training run in the address: how it differs from the preset of its data set, the number of steps, and the changes.
import type { Choices, Configuration, State } from "./messages";

const WORDS = ["activation", "output", "init", "loss", "optimizer", "engine"] as const;
const NUMBERS = ["samples", "noise", "classes", "held_out", "seed", "lr", "l2"] as const;

/** Parameters that are no setting of the run. */
const OTHERS = ["data", "hidden", "batch_size", "rows", "labels", "points", "steps", "changes", "case"] as const;

/** A number; the server rejects other text with a message. */
const asNumber = (text: string): number | string =>
  text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;

const joinRows = (rows: number[][]) => rows.map((row) => row.join("_")).join("!");
const splitRows = (text: string) => (text ? text.split("!").map((row) => row.split("_").map(asNumber)) : []);

/** The parameters of the address that restore a run at a step. */
export function asAddress(state: State, step: number, choices: Choices): Record<string, string | number | undefined> {
  const now = state.configuration;
  const preset = choices.presets.find(({ dataset }) => dataset === now.dataset);
  const address: Record<string, string | number | undefined> = { data: now.dataset };
  const differs = (name: keyof Configuration) => JSON.stringify(now[name]) !== JSON.stringify(preset?.[name]);
  for (const name of [...WORDS, ...NUMBERS]) if (differs(name)) address[name] = now[name];
  if (differs("hidden")) address.hidden = now.hidden.join(",");
  if (differs("batch_size")) address.batch_size = now.batch_size ?? "all";
  if (now.rows.length) {
    address.rows = joinRows(now.rows);
    address.labels = now.labels.join("!");
  }
  if (now.points.length) address.points = joinRows(now.points);
  if (step) address.steps = step;
  if (state.changes.length) address.changes = JSON.stringify(state.changes);
  return address;
}

/** A message about parameters that no address of this room has; without any, "". */
export function explainUnknown(params: URLSearchParams): string {
  const known: readonly string[] = [...OTHERS, ...WORDS, ...NUMBERS];
  const unknown = [...params.keys()].filter((name) => !known.includes(name));
  return unknown.length ? `unknown in the address: ${unknown.join(", ")}; the known ones: ${known.join(", ")}` : "";
}

/** The run that an address describes, or null if it describes none. The server validates every field. */
export function fromAddress(
  params: URLSearchParams,
): { configuration: Record<string, unknown>; steps: number | string; changes: unknown } | null {
  const dataset = params.get("data");
  if (!dataset) return null;
  const configuration: Record<string, unknown> = { dataset };
  for (const name of WORDS) if (params.has(name)) configuration[name] = params.get(name);
  for (const name of NUMBERS) if (params.has(name)) configuration[name] = asNumber(params.get(name)!);
  const hidden = params.get("hidden");
  if (hidden !== null) configuration.hidden = hidden === "" ? [] : hidden.split(",").map(asNumber);
  const batch = params.get("batch_size");
  if (batch !== null) configuration.batch_size = batch === "all" ? null : asNumber(batch);
  if (params.has("rows")) configuration.rows = splitRows(params.get("rows")!);
  if (params.has("labels")) configuration.labels = params.get("labels")!.split("!");
  if (params.has("points")) configuration.points = splitRows(params.get("points")!);
  let changes: unknown = [];
  try {
    changes = JSON.parse(params.get("changes") ?? "[]");
  } catch {
    changes = params.get("changes"); // the server rejects it with a message
  }
  return { configuration, steps: asNumber(params.get("steps") ?? "0"), changes };
}
