// The state of the room Mistakes as signals, and its actions.
import { batch, computed, signal } from "@preact/signals";
import { ask, type Message, onEvent, onReconnect } from "../../shared/connection";
import { onState, saveState, stateOf } from "../../shared/fragment";
import { Mapper, PLAYING } from "../../shared/plane/maps";
import type { Mistake, Snapshot, State } from "./messages";

const DEFAULT_MISTAKE = "unzeroed";

export const mistakes = signal<Mistake[]>([]);
export const state = signal<State | null>(null);
export const snapshot = signal<Snapshot | null>(null);
export const playing = signal(false);
export const error = signal("");

/** The maps of both networks at the current step. */
export const maps = { healthy: mapsOf("healthy"), broken: mapsOf("broken") };

function mapsOf(name: "healthy" | "broken") {
  const mapper = new Mapper();
  return computed(() => {
    const [now, current] = [state.value, snapshot.value];
    if (!now || !current || current.run !== now.run) return null;
    return mapper.at(now.networks[name], current[name].weights, now, PLAYING);
  });
}

/** A snapshot of a run whose state has not arrived yet: the snapshot may overtake the answer that starts the run. */
let earlySnapshot: Message | null = null;

function receive(event: Message): void {
  if (event.event === "trouble") {
    error.value = String(event.error);
    return;
  }
  if (event.event !== "snapshot") return;
  if ((event.run as number) > (state.value?.run ?? 0)) earlySnapshot = event;
  if (event.run !== state.value?.run) return;
  batch(() => {
    snapshot.value = event as unknown as Snapshot;
    playing.value = snapshot.value.playing;
  });
}

async function request(command: string, fields: Message = {}): Promise<Message | null> {
  try {
    const result = await ask("mistakes", command, fields);
    error.value = "";
    return result;
  } catch (problem) {
    error.value = (problem as Error).message;
    return null;
  }
}

async function change(command: string, fields: Message = {}): Promise<boolean> {
  const result = await request(command, fields);
  if (!result) return false;
  const next = result as unknown as State;
  batch(() => {
    state.value = next;
    playing.value = next.playing;
  });
  if (earlySnapshot) receive(earlySnapshot);
  saveState("mistakes", { mistake: next.mistake, seed: next.seed || undefined, on: next.on ? undefined : "no" });
  return true;
}

export const choose = (mistake: string) => change("choose", { mistake, seed: state.value?.seed ?? 0 });
export const reseed = () =>
  change("choose", { mistake: state.value!.mistake, seed: (state.value!.seed + 1) % 1000, on: state.value!.on });
export const setMistake = (on: boolean) => change("switch", { on });
export const reset = () => change("reset");
export const step = () => request("step");
export async function pause(): Promise<void> {
  if (await request("pause")) playing.value = false;
}

/** Play; after the last step, start over. */
export async function play(): Promise<void> {
  if (snapshot.value && state.value && snapshot.value.step >= state.value.most) await reset();
  if (await request("play")) playing.value = true;
}

let isOpen = false;

export function open(): () => void {
  const leave = onState("mistakes", restore);
  if (!isOpen) {
    isOpen = true;
    onEvent("mistakes", receive);
    onReconnect(() => {
      if (state.value) state.value = { ...state.value, run: 0 };
      restore(stateOf("mistakes"));
    });
    void request("list").then((result) => {
      mistakes.value = (result?.mistakes as Mistake[]) ?? [];
      restore(stateOf("mistakes"));
    });
  }
  return leave;
}

function restore(params: URLSearchParams): void {
  const fields = {
    mistake: params.get("mistake") ?? DEFAULT_MISTAKE,
    seed: Number(params.get("seed") ?? 0),
    on: params.get("on") !== "no",
  };
  void restoreRun(fields);
}

async function restoreRun(fields: Message): Promise<void> {
  if ((await change("choose", fields)) || state.value) return;
  // The address is invalid: show the default mistake, but keep the message.
  const message = error.value;
  await change("choose", { mistake: DEFAULT_MISTAKE });
  error.value = message;
}
