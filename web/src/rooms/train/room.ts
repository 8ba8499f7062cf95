// What the room Train edgeQuantity, as signals, and what can be done in it.
import { batch, computed, effect, signal } from "@preact/signals";
import { showSample } from "../explore";
import { saveState, onState, stateOf } from "../../shared/fragment";
import { ask, onEvent, type Message, onReconnect } from "../../shared/socket";
import { asAddress, fromAddress } from "./address";
import type { Choices, Configuration, CurvesEvent, Focus, Probe, Rates, Snapshot, State } from "./messages";

export const choices = signal<Choices | null>(null);
export const state = signal<State | null>(null);
export const snapshot = signal<Snapshot | null>(null);
export const curves = signal<CurvesEvent | null>(null);
export const rates = signal<Rates | null>(null);
export const isComparing = signal(false);
export const error = signal("");
export const playing = signal(false);
export const edgeQuantity = signal<"weights" | "gradients">("weights");
export const pointClass = signal(0); // the class of points that are added
export const focus = signal<{ layer: number; neuron: number } | null>(null);
export const focusMap = signal<Focus | null>(null);
export const probe = signal<Probe | null>(null);
export const selectedSample = signal<number | null>(null); // a sample

export const isBinary = computed(() => (state.value?.configuration.classes ?? 2) === 2);
export const configuration = computed(() => state.value?.configuration ?? null);

/** Whether a snapshot is of the training that is shown, and not of the one before it. */
function isCurrent(event: { run: number }): boolean {
  return event.run === state.value?.run;
}

/** Events of a training whose state is still on its way: an answer may come after the first of its events. */
let early: Message[] = [];

function hear(event: Message): void {
  if (event.event === "trouble") return void (error.value = String(event.error));
  if ((event.run as number) > (state.value?.run ?? 0))
    early = [...early.filter((other) => other.event !== event.event), event];
  if (!isCurrent(event as never)) return;
  if (event.event === "state") return take(event);
  if (event.event === "curves") curves.value = event as never;
  if (event.event === "rates") {
    rates.value = event.rates as Rates;
    isComparing.value = false;
  }
  if (event.event !== "snapshot") return;
  const found = event as unknown as Snapshot;
  batch(() => {
    snapshot.value = found;
    playing.value = found.playing;
    if (
      found.focus &&
      focus.value &&
      found.focus.layer === focus.value.layer &&
      found.focus.neuron === focus.value.neuron
    )
      focusMap.value = found.focus;
    if (found.rates) rates.value = found.rates;
  });
  if (!found.playing) remember();
}

function remember(): void {
  if (state.value && choices.value)
    saveState(
      "train",
      asAddress(state.value, snapshot.value?.run === state.value.run ? snapshot.value.step : 0, choices.value),
    );
}

function take(found: Message): void {
  const next = found as unknown as State;
  batch(() => {
    if (next.run !== state.value?.run) {
      curves.value = null;
      rates.value = null;
      isComparing.value = false;
      focus.value = focusMap.value = probe.value = null;
    }
    if (next.samples.length !== state.value?.samples.length) selectedSample.value = null;
    state.value = next;
    playing.value = next.playing;
    if (pointClass.value >= next.configuration.classes) pointClass.value = 0;
  });
  for (const event of early.splice(0)) hear(event);
  remember();
}

/** Ask the room for something; what goes wrong is shown. */
async function request(doing: string, fields: Message = {}, newestWins = false): Promise<Message | null> {
  try {
    const found = await ask("train", doing, fields, newestWins);
    error.value = "";
    return found;
  } catch (problem) {
    error.value = (problem as Error).message;
    return null;
  }
}

async function change(doing: string, fields: Message = {}, newestWins = false): Promise<boolean> {
  const found = await request(doing, fields, newestWins);
  if (!found) return false;
  take(found);
  return true;
}

/** Begin anew with another configuration; what was tuned and added since stays. */
export function set(changes: Partial<Configuration>): void {
  const now = state.value;
  if (!now || !choices.value) return;
  const next = { ...now.configuration, lr: now.lr, l2: now.l2, points: pointsNow(now), ...changes };
  const fitting = choices.value.losses[next.classes === 2 ? "two" : "more"];
  if (!fitting.includes(next.loss)) next.loss = fitting[0]!;
  next.points = next.points.filter(([, , label]) => label < next.classes);
  void change("set", { configuration: next }, true);
}

/** All points that were added by hand, also while it trained. */
function pointsNow(now: State): [number, number, number][] {
  const found = [...now.configuration.points];
  for (const { add, undo } of now.changes as { add?: [number, number, number]; undo?: boolean }[]) {
    if (undo) found.pop();
    if (add) found.push(add);
  }
  return found;
}

/** Take one of the presets, with its own network and rate; the engine stays as it was chosen. */
export function choose(dataset: string): void {
  const preset = choices.value?.presets.find((found) => found.dataset === dataset);
  if (preset)
    void change("set", { configuration: { ...preset, engine: configuration.value?.engine ?? preset.engine } });
}

export const play = () => request("play").then((ok) => ok && (playing.value = true));
export const pause = () => request("pause").then((ok) => ok && (playing.value = false));
export const toggle = () => (playing.value ? pause() : play());
export const step = () => request("step");
export const epoch = () => request("epoch").then((ok) => ok && (playing.value = true));
export const reset = () => change("reset");
export const tune = (fields: { lr?: number; l2?: number }) => change("tune", fields, true);
export const add = (x1: number, x2: number, label: number) => change("add", { x1, x2, class: label });
export const undo = () => change("undo");

export async function pace(name: string): Promise<void> {
  if ((await request("pace", { pace: name })) && state.value) state.value = { ...state.value, pace: name };
}

export async function compare(): Promise<void> {
  isComparing.value = true;
  if (!(await request("compare"))) isComparing.value = false;
}

export async function drop(file: File): Promise<void> {
  if (file.size > 100_000)
    return void (error.value = `${file.name} has ${file.size.toLocaleString("en")} bytes; 100,000 are the most`);
  const { hidden = [8, 8], activation = "tanh", engine = "scalar" } = configuration.value ?? {};
  await change("csv", { name: file.name, text: await file.text(), configuration: { hidden, activation, engine } });
}

export async function focusNeuron(at: { layer: number; neuron: number } | null): Promise<void> {
  const before = focus.value;
  if (before?.layer === at?.layer && before?.neuron === at?.neuron) return;
  focus.value = at;
  if (!at) focusMap.value = null;
  const found = await ask("train", "respond", { layer: null, ...at }, true).catch(() => null);
  const shown = found?.focus as Focus | null;
  if (shown && focus.value?.layer === shown.layer && focus.value.neuron === shown.neuron) focusMap.value = shown;
}

let isProbing = false;
let next: [number, number] | null = null;

/** Ask what all neurons give at a place: one question at a time, and the newest place next. */
export async function probeAt(place: [number, number] | null): Promise<void> {
  next = place;
  if (!place) return void (probe.value = null);
  if (isProbing) return;
  isProbing = true;
  while (next) {
    const [x1, x2]: [number, number] = next;
    next = null;
    const found = await ask("train", "probe", { x1, x2 }, true).catch(() => null);
    if (found) probe.value = { x1, x2, ...(found as Omit<Probe, "x1" | "x2">) } as Probe;
  }
  isProbing = false;
}

/** Send the graph of a sample into Explore. */
export async function explore(index: number, of?: string): Promise<void> {
  const found = await request("sample", { index, ...(of ? { of } : {}) });
  if (!found || !state.value || !choices.value) return;
  const [x1, x2, label] = state.value.samples[index]!;
  const name = state.value.labels[label] ?? String(label);
  showSample({
    scene: found.scene,
    title: `Sample ${index + 1} of ${state.value.configuration.dataset}: (${round(x1)}, ${round(x2)}), class ${name}`,
    fields: { index, of: found.of },
    address: { sample: index, of: found.of as string, ...asAddress(state.value, found.step as number, choices.value) },
  });
}

/** The same for an address of Explore: the training is restored first, unless it stands there already. */
export async function loadSample(given: URLSearchParams): Promise<void> {
  const asked = fromAddress(given);
  await begin();
  if (!asked || !choices.value) return;
  const own = new URLSearchParams(given);
  for (const name of ["sample", "of", "at", "gradients", "speed", "nudge", "h"]) own.delete(name);
  if (!isAt(own) && !(await change("set", { ...asked, playing: false }))) throw new Error(error.value);
  await until(() => snapshot.value !== null && isCurrent(snapshot.value) && !snapshot.value.restoring);
  await explore(Number(given.get("sample")), given.get("of") ?? undefined);
  if (error.value) throw new Error(error.value);
}

function isAt(address: URLSearchParams): boolean {
  if (!state.value || !choices.value || !snapshot.value || !isCurrent(snapshot.value)) return false;
  const shown = Object.entries(asAddress(state.value, snapshot.value.step, choices.value)).filter(
    ([, x]) => x !== undefined,
  );
  const now = new URLSearchParams(shown.map(([name, x]) => [name, String(x)]));
  address.sort();
  now.sort();
  return now.toString() === address.toString();
}

function until(holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (holds()) queueMicrotask(() => (stop(), resolve()));
    });
  });
}

const round = (x: number) => Number(x.toPrecision(3));

let startup: Promise<unknown> | undefined;

/** Hear what the room tells, and learn what can be chosen: once. */
function begin(): Promise<unknown> {
  if (!startup) {
    onEvent("train", hear);
    onReconnect(() => {
      if (!state.value) return;
      state.value = { ...state.value, run: 0 };
      restore(stateOf("train"));
    });
    startup = request("choices").then((found) => (choices.value = found as unknown as Choices));
  }
  return startup;
}

/** Begin, when the room is entered: with what the address says, or with XOR; or with what is there. */
export function open(): () => void {
  const leave = onState("train", restore);
  void begin().then(() => state.value ?? restore(stateOf("train")));
  return leave;
}

function restore(given: URLSearchParams): void {
  const asked = fromAddress(given);
  if (!asked) return void change("state");
  void change("set", { ...asked, playing: false }).then((ok) => {
    if (!ok && !state.value) {
      const said = error.value;
      void change("state").then(() => (error.value = said));
    }
  });
}
