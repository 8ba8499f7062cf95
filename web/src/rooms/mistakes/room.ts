// What the room Mistakes shows, as signals, and what can be done in it.
import { batch, signal } from "@preact/signals";
import type { Wire } from "../../shared/numbers";
import type { Sample } from "../../shared/plane/Plane";
import { saveState, onState, stateOf } from "../../shared/fragment";
import { ask, onEvent, type Message, onReconnect } from "../../shared/socket";

export interface Mistake {
  name: string;
  title: string;
  wrong: string;
  right: string;
  explanation: string;
  is_in_step: boolean;
}

export interface State {
  run: number;
  mistake: string;
  seed: number;
  on: boolean;
  playing: boolean;
  most: number;
  sizes: number[];
  low: [number, number];
  high: [number, number];
  samples: Sample[];
}

export interface Trial {
  step: number;
  loss: Wire;
  accuracy: Wire;
  gradient_norms: Wire[];
  boundary: string;
  stopped: string;
}

export interface Snapshot {
  run: number;
  step: number;
  playing: boolean;
  on: boolean;
  size: number;
  healthy: Trial;
  broken: Trial;
  curves: Record<"healthy" | "broken", { steps: number[]; loss: Wire[] }>;
  story: string;
  finding: { by: string; text: string; is_guard: boolean } | null;
}

export const mistakes = signal<Mistake[]>([]);
export const state = signal<State | null>(null);
export const snapshot = signal<Snapshot | null>(null);
export const playing = signal(false);
export const error = signal("");

/** A snapshot of a run whose state is still on its way: an answer may come after it. */
let early: Message | null = null;

function hear(event: Message): void {
  if (event.event === "trouble") return void (error.value = String(event.error));
  if (event.event !== "snapshot") return;
  if ((event.run as number) > (state.value?.run ?? 0)) early = event;
  if (event.run !== state.value?.run) return;
  batch(() => {
    snapshot.value = event as unknown as Snapshot;
    playing.value = snapshot.value.playing;
  });
}

async function request(doing: string, fields: Message = {}): Promise<Message | null> {
  try {
    const found = await ask("mistakes", doing, fields);
    error.value = "";
    return found;
  } catch (problem) {
    error.value = (problem as Error).message;
    return null;
  }
}

async function change(doing: string, fields: Message = {}): Promise<boolean> {
  const found = await request(doing, fields);
  if (!found) return false;
  const next = found as unknown as State;
  batch(() => {
    state.value = next;
    playing.value = next.playing;
  });
  if (early) hear(early);
  saveState("mistakes", { mistake: next.mistake, seed: next.seed || undefined, on: next.on ? undefined : "no" });
  return true;
}

export const choose = (mistake: string) => change("choose", { mistake, seed: state.value?.seed ?? 0 });
export const reseed = () =>
  change("choose", { mistake: state.value!.mistake, seed: (state.value!.seed + 1) % 1000, on: state.value!.on });
export const turn = (on: boolean) => change("switch", { on });
export const reset = () => change("reset");
export const step = () => request("step");
export const pause = () => request("pause").then((ok) => ok && (playing.value = false));

/** Play; after the last step, from the beginning. */
export async function play(): Promise<void> {
  if (snapshot.value && state.value && snapshot.value.step >= state.value.most) await reset();
  if (await request("play")) playing.value = true;
}

let isOpen = false;

export function open(): () => void {
  const leave = onState("mistakes", restore);
  if (!isOpen) {
    isOpen = true;
    onEvent("mistakes", hear);
    onReconnect(() => {
      if (state.value) state.value = { ...state.value, run: 0 };
      restore(stateOf("mistakes"));
    });
    void request("list").then((found) => {
      mistakes.value = (found?.mistakes as Mistake[]) ?? [];
      restore(stateOf("mistakes"));
    });
  }
  return leave;
}

function restore(given: URLSearchParams): void {
  const fields = {
    mistake: given.get("mistake") ?? "unzeroed",
    seed: Number(given.get("seed") ?? 0),
    on: given.get("on") !== "no",
  };
  void change("choose", fields).then((ok) => {
    if (ok || state.value) return;
    const said = error.value;
    void change("choose", { mistake: "unzeroed" }).then(() => (error.value = said));
  });
}
