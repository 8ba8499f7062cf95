// The state of the room Train as signals, and its actions.
import { batch, computed, effect, signal } from "@preact/signals";
import { ask, type Message, onEvent, onReconnect } from "../../shared/connection";
import { onState, saveState, stateOf } from "../../shared/fragment";
import { Mapper, PAUSED, PLAYING } from "../../shared/plane/maps";
import { atPoint, layerOutputs, predictedClass, probabilities } from "../../shared/plane/network";
import type { Sample as PlaneSample } from "../../shared/plane/Plane";
import { showSample } from "../explore";
import { asAddress, explainUnknown, fromAddress } from "./address";
import type { Choices, Configuration, CurvesEvent, Snapshot, State } from "./messages";

export type Rates = NonNullable<Snapshot["rates"]>;

export const choices = signal<Choices | null>(null);
export const state = signal<State | null>(null);
export const snapshot = signal<Snapshot | null>(null);
export const curves = signal<CurvesEvent | null>(null);
export const rates = signal<Rates | null>(null);
export const isComparing = signal(false);
export const error = signal("");
export const playing = signal(false);
export const edgeQuantity = signal<"weights" | "gradients">("weights");
/** The class of points that the user adds. */
export const pointClass = signal(0);
/** The neuron under the pointer or with the keyboard focus. */
export const focus = signal<{ layer: number; neuron: number } | null>(null);
/** The point under the pointer. */
export const probePoint = signal<[x1: number, x2: number] | null>(null);
/** The index of the sample under the pointer or chosen by the arrow keys. */
export const selectedSample = signal<number | null>(null);
/** The index of the case whose activations are shown. */
export const selectedCase = signal<number | null>(null);

export const isBinary = computed(() => (state.value?.configuration.classes ?? 2) === 2);
export const configuration = computed(() => state.value?.configuration ?? null);
export const planeSamples = computed(() =>
  (state.value?.samples ?? []).map(({ inputs: [x1, x2], label, is_test }): PlaneSample => [x1!, x2!, label, is_test]),
);
/** The state and the snapshot of the current run; null if its snapshot has not arrived. */
const moment = computed(() => {
  const [now, current] = [state.value, snapshot.value];
  return now && current && isCurrent(current) ? { now, current } : null;
});
const mapper = new Mapper();
/** The maps of all neurons at the current step. */
export const maps = computed(() => {
  if (!moment.value?.now.is_plane) return null;
  const { now, current } = moment.value;
  return mapper.at(now.network, current.weights, now, current.playing ? PLAYING : PAUSED);
});
/** The response of the neuron in focus. */
export const focusMap = computed(
  () => (focus.value && maps.value?.neuron(focus.value.layer, focus.value.neuron)) || null,
);
/** The outputs of all layers at the point under the pointer, and the predicted class. */
export const probe = computed(() => {
  const point = probePoint.value;
  if (!moment.value?.now.is_plane || !point) return null;
  const [layers = []] = respond([point]);
  return { x1: point[0], x2: point[1], layers, label: predictedClass(layers.at(-1)!) };
});

/** A row of the table of cases. */
export interface Case {
  /** The outputs of all layers; the first layer is the inputs. */
  layers: number[][];
  /** The probability of each class, or of class 1, if the loss is one of probabilities; otherwise the raw output. */
  output: number[];
  isCorrect: boolean;
}

/** The rows of the table of cases at the current step. */
export const cases = computed((): Case[] => {
  if (!moment.value) return [];
  const { is_probability, samples, cases: count } = moment.value.now;
  const listed = samples.slice(0, count);
  return respond(listed.map(({ inputs }) => inputs)).map((layers, i) => {
    const scores = layers.at(-1)!;
    const isCorrect = predictedClass(scores) === listed[i]!.label;
    return { layers, output: is_probability ? probabilities(scores) : scores, isCorrect };
  });
});

/** The outputs of all layers at some points. */
function respond(points: number[][]): number[][][] {
  const { now, current } = moment.value!;
  const columns = now.network.mean.map((_, i) => Float64Array.from(points, (point) => point[i]!));
  const outputs = layerOutputs(now.network, current.weights, columns);
  return points.map((_, p) => atPoint(outputs, p));
}

const MAX_FILE = 100_000; // bytes

/** Whether an event belongs to the current run. */
function isCurrent(event: { run: number }): boolean {
  return event.run === state.value?.run;
}

/** Events of a run whose state has not arrived yet: the first events may overtake the answer that starts the run. */
let earlyEvents: Message[] = [];

function receive(event: Message): void {
  if (event.event === "trouble") {
    error.value = String(event.error);
    return;
  }
  if ((event.run as number) > (state.value?.run ?? 0)) {
    earlyEvents = [...earlyEvents.filter((other) => other.event !== event.event), event];
  }
  if (!isCurrent(event as never)) return;
  if (event.event === "state") {
    applyState(event);
  } else if (event.event === "curves") {
    curves.value = event as never;
  } else if (event.event === "rates") {
    rates.value = event.rates as Rates;
    isComparing.value = false;
  } else if (event.event === "snapshot") {
    applySnapshot(event as unknown as Snapshot);
  }
}

function applySnapshot(next: Snapshot): void {
  batch(() => {
    snapshot.value = next;
    playing.value = next.playing;
    if (next.rates) rates.value = next.rates;
  });
  if (!next.playing) saveAddress();
}

function saveAddress(): void {
  if (!state.value || !choices.value) return;
  const step = snapshot.value && isCurrent(snapshot.value) ? snapshot.value.step : 0;
  const chosen = selectedCase.value;
  const address = asAddress(state.value, step, choices.value);
  saveState("train", { ...address, case: chosen === null ? undefined : chosen + 1 });
}

/** Show the activations of a case; null shows none. */
export function selectCase(index: number | null): void {
  selectedCase.value = index;
  if (!playing.value) saveAddress();
}

/** The number of training samples, or of test samples. */
export function countSamples(isTest: boolean): number {
  return state.value!.samples.filter((sample) => sample.is_test === isTest).length;
}

function applyState(message: Message): void {
  const next = message as unknown as State;
  batch(() => {
    if (next.run !== state.value?.run) {
      curves.value = null;
      rates.value = null;
      isComparing.value = false;
      focus.value = null;
      probePoint.value = null;
    }
    if (next.samples.length !== state.value?.samples.length) selectedSample.value = selectedCase.value = null;
    state.value = next;
    playing.value = next.playing;
    if (pointClass.value >= next.configuration.classes) pointClass.value = 0;
  });
  for (const event of earlyEvents.splice(0)) receive(event);
  saveAddress();
}

/** Send a command to the room; a failure is shown as the error of the room and returns null. */
async function request(command: string, fields: Message = {}, newestWins = false): Promise<Message | null> {
  try {
    const result = await ask("train", command, fields, newestWins);
    error.value = "";
    return result;
  } catch (problem) {
    error.value = (problem as Error).message;
    return null;
  }
}

/** Send a command that returns a new state. */
async function change(command: string, fields: Message = {}, newestWins = false): Promise<boolean> {
  const result = await request(command, fields, newestWins);
  if (!result) return false;
  applyState(result);
  return true;
}

/** Start over with a changed configuration; tuned rates, the engine and added points are kept. */
export function set(changes: Partial<Configuration>): void {
  const now = state.value;
  if (!now || !choices.value) return;
  const { lr, l2, engine } = now;
  const next = { ...now.configuration, lr, l2, engine, points: addedPoints(now), ...changes };
  const losses = choices.value.losses[next.classes === 2 ? "two" : "more"];
  if (!losses.includes(next.loss)) next.loss = losses[0]!;
  next.points = next.points.filter(([, , label]) => label < next.classes);
  void change("set", { configuration: next }, true);
}

/** All points that the user has added, before and during the run. */
function addedPoints(now: State): [number, number, number][] {
  const points = [...now.configuration.points];
  for (const { add, undo } of now.changes) {
    if (undo) points.pop();
    if (add) points.push(add);
  }
  return points;
}

/** Choose the preset of a data set, with its network and learning rate; the engine is kept. */
export function choose(dataset: string): void {
  const preset = choices.value?.presets.find((candidate) => candidate.dataset === dataset);
  if (!preset) return;
  void change("set", { configuration: { ...preset, engine: state.value?.engine ?? preset.engine } });
}

/** Send a command that starts or stops the player. */
async function control(command: string, isPlaying: boolean): Promise<void> {
  const answer = await request(command);
  if (answer) playing.value = isPlaying && !hasReached(answer.until);
}

/** Whether a snapshot has shown this step: the last one of an epoch may arrive before the answer to the command. */
function hasReached(step: unknown): boolean {
  const shown = snapshot.value;
  return typeof step === "number" && shown !== null && isCurrent(shown) && shown.step >= step;
}

export const play = () => control("play", true);
export const pause = () => control("pause", false);
export const toggle = () => (playing.value ? pause() : play());
export const step = () => request("step");
export const epoch = () => control("epoch", true);
export const reset = () => change("reset");
/** Change a setting during the run; the weights are kept. */
export const tune = (fields: { lr?: number; l2?: number; engine?: string }) => change("tune", fields, true);
export const add = (x1: number, x2: number, label: number) => change("add", { x1, x2, class: label });
export const undo = () => change("undo");

export async function setPace(name: string): Promise<void> {
  if ((await request("pace", { pace: name })) && state.value) state.value = { ...state.value, pace: name };
}

export async function compare(): Promise<void> {
  isComparing.value = true;
  if (!(await request("compare"))) isComparing.value = false;
}

/** Train on a CSV file. */
export async function loadFile(file: File): Promise<void> {
  if (file.size > MAX_FILE) {
    const [size, limit] = [file.size.toLocaleString("en"), MAX_FILE.toLocaleString("en")];
    error.value = `${file.name} has ${size} bytes; the limit is ${limit}`;
    return;
  }
  const { hidden = [8, 8], activation = "tanh" } = configuration.value ?? {};
  const engine = state.value?.engine ?? "scalar";
  await change("csv", { name: file.name, text: await file.text(), configuration: { hidden, activation, engine } });
}

/** Show the graph of a sample in Explore. */
export async function exploreSample(index: number, of?: string): Promise<void> {
  const result = await request("sample", { index, ...(of ? { of } : {}) });
  if (!result || !state.value || !choices.value) return;
  const { inputs, label } = state.value.samples[index]!;
  const name = state.value.labels[label] ?? String(label);
  showSample({
    scene: result.scene,
    title: `Sample ${index + 1} of ${state.value.configuration.dataset}: (${inputs.map(round).join(", ")}), class ${name}`,
    room: "train",
    fields: { index, of: result.of },
    address: {
      sample: index,
      of: result.of as string,
      ...asAddress(state.value, result.step as number, choices.value),
    },
  });
}

/** Show the sample of an address of Explore; restores its training run first, unless it is the current one. */
export async function loadSample(params: URLSearchParams): Promise<void> {
  const target = fromAddress(params);
  await start();
  if (!target || !choices.value) return;
  const own = new URLSearchParams(params);
  for (const name of ["sample", "of", "at", "gradients", "speed", "nudge", "h"]) own.delete(name);
  if (!isAt(own) && !(await change("set", { ...target, playing: false }))) throw new Error(error.value);
  await until(() => snapshot.value !== null && isCurrent(snapshot.value) && !snapshot.value.restoring);
  await exploreSample(Number(params.get("sample")), params.get("of") ?? undefined);
  if (error.value) throw new Error(error.value);
}

/** Whether the current run is at the state of an address. */
function isAt(address: URLSearchParams): boolean {
  if (!state.value || !choices.value || !snapshot.value || !isCurrent(snapshot.value)) return false;
  const now = new URLSearchParams();
  for (const [name, x] of Object.entries(asAddress(state.value, snapshot.value.step, choices.value))) {
    if (x !== undefined) now.set(name, String(x));
  }
  address.sort();
  now.sort();
  return now.toString() === address.toString();
}

/** Wait until a condition on signals holds. */
function until(condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!condition()) return;
      queueMicrotask(() => {
        stop();
        resolve();
      });
    });
  });
}

const round = (x: number) => Number(x.toPrecision(3));

let startup: Promise<void> | undefined;

/** Subscribe to the events of the room and request its choices, once. */
function start(): Promise<void> {
  if (!startup) {
    onEvent("train", receive);
    onReconnect(() => {
      if (!state.value) return;
      state.value = { ...state.value, run: 0 };
      restore(stateOf("train"));
    });
    startup = request("choices").then((result) => {
      choices.value = result as unknown as Choices;
    });
  }
  return startup;
}

/** Open the room: with its current run, the run of the address, or the default one. */
export function open(): () => void {
  const leave = onState("train", restore);
  void start().then(() => state.value ?? restore(stateOf("train")));
  return leave;
}

function restore(params: URLSearchParams): void {
  const target = fromAddress(params);
  if (target) void restoreRun(target, params);
  else void change("state");
}

async function restoreRun(target: Message, params: URLSearchParams): Promise<void> {
  if (await change("set", { ...target, playing: false })) {
    restoreCase(params.get("case"));
    error.value ||= explainUnknown(params);
    return;
  }
  if (state.value) return;
  // The address is invalid: show the default run, but keep the message.
  const message = error.value;
  await change("state");
  error.value = message;
}

/** Select the case of an address; cases are counted from 1. */
function restoreCase(text: string | null): void {
  const count = state.value!.cases;
  const index = text === null ? null : Number(text) - 1;
  const isKnown = index === null || (Number.isInteger(index) && index >= 0 && index < count);
  selectCase(isKnown ? index : null);
  const reason = count ? `there are ${count} cases, counted from 1` : "a plane with more than 16 samples has no table";
  if (!isKnown) error.value = `case ${text} does not exist; ${reason}`;
}
