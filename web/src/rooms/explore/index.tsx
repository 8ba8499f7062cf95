// The room Explore: the component that notebooks load as well, on a model that asks over the socket.

import { signal } from "@preact/signals";
import explore from "adjoint-explore";
import { useEffect, useRef } from "preact/hooks";
import type { Scene } from "../../explore/model";
import { SPEEDS } from "../../explore/progress";
import type { MathElement } from "../../shared/math";
import type { Wire } from "../../shared/numbers";
import { exploreAgain } from "../train/room";
import { openRoom, saveState, onState, stateOf } from "../../shared/fragment";
import { ask, connection, Disconnected, type Message } from "../../shared/socket";

type Callback = (...given: never[]) => void;
const FIRST = "tanh(x1*w1 + x2*w2 + b)";
const SETTINGS = { gradients: true, speed: 1, nudge: "", h: "0.01" };

const SETTLED = 150; // milliseconds without a move

type Numbers = {
  nodes: [Wire, Wire][];
  steps: [Wire, Wire, Wire, Wire, Wire][];
  told: { text?: string; math?: MathElement };
};

/** The scene with other numbers. Steps lose their words, for these would be wrong; but for the one that is shown. */
function renumbered(scene: Scene, { nodes, steps, told }: Numbers, at: number | null): Scene {
  const shown = Math.min(at ?? scene.steps.length, scene.steps.length) - 1;
  const first = scene.steps.length - steps.length;
  return {
    ...scene,
    nodes: scene.nodes.map((node, i) => ({ ...node, data: nodes[i]![0], grad: nodes[i]![1], math: undefined })),
    steps: scene.steps.map((step, i) => {
      const { text: _, math: __, ...kept } = step;
      const words = i === shown ? { text: told.text ?? "", ...(told.math ? { math: told.math } : {}) } : { text: "" };
      if (i < first) return { ...kept, ...words };
      const [local, incoming, contribution, before, after] = steps[i - first]!;
      return { ...kept, ...words, local, incoming, contribution, before, after };
    }),
  };
}

/** What an address says of how the graph is shown; what it does not say, or says wrongly, is as at first. */
function settingsOf(given: URLSearchParams): typeof SETTINGS {
  const speed = Number(given.get("speed"));
  return {
    gradients: given.get("gradients") !== "off",
    speed: SPEEDS.includes(speed) ? speed : SETTINGS.speed,
    nudge: given.get("nudge")?.slice(0, 200) ?? SETTINGS.nudge,
    h: given.get("h")?.slice(0, 40) ?? SETTINGS.h,
  };
}

/** The graph of a sample that a network is trained on, as the room Train has computed it. */
export interface Sample {
  scene: unknown;
  title: string;
  fields: Message; // by which Train knows it
  address: Record<string, string | number | undefined>; // by which it is found again
}

/** A model by anywidget's contract: what is set goes to the engine, and what it says comes back as changes. */
class SocketModel {
  private state: Record<string, unknown> = {
    kind: "expression",
    expression: FIRST,
    numbers: {},
    presets: [],
    scene: null,
    error: "",
    at: null,
    ...SETTINGS,
  };
  private callbacks = new Map<string, Set<Callback>>();
  private changed = new Set<string>();
  private isAsking = false;
  private isStale = false;
  private isLost = false;
  private sample: Sample | null = null;
  /** The expression whose scene is shown: while only its numbers change, only numbers are asked for. */
  private drawn: string | null = null;
  private settling: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.restore(stateOf("explore"));
    connection.subscribe((now) => now === "open" && this.begin());
  }

  restore(given: URLSearchParams): void {
    const at = given.get("at");
    this.put({ at: at !== null && /^\d{1,6}$/.test(at) ? Number(at) : null, ...settingsOf(given) });
    if (given.has("sample")) {
      exploreAgain(given).catch((problem: Error) => this.put({ kind: "expression", error: problem.message }));
      return;
    }
    const expression = given.get("e") ?? FIRST;
    const said = [...given].filter(
      ([name, text]) => name.startsWith("n.") && text !== "" && Number.isFinite(Number(text)),
    );
    const numbers: Record<string, number> = Object.fromEntries(
      said.map(([name, text]) => [name.slice(2), Number(text)]),
    );
    if (expression === FIRST && Object.keys(numbers).length === 0)
      Object.assign(numbers, { x1: 2, w1: -3, x2: 0, w2: 1, b: 6.881373587019543 });
    sampleTitle.value = "";
    this.sample = this.drawn = null;
    this.put({ kind: "expression", title: undefined, expression, numbers });
    void this.compute();
  }

  /** Show the graph of a sample; it can be played, and there is nothing to type. */
  show(sample: Sample): void {
    const isAgain = this.sample === null && stateOf("explore").has("sample");
    this.sample = sample;
    clearTimeout(this.settling);
    this.put({ kind: "sample", scene: sample.scene, title: sample.title, error: "", ...(isAgain ? {} : { at: null }) });
    this.remember();
  }

  /** The engine answers, for the first time or again: ask for what is missing. */
  private begin(): void {
    if (!(this.state.presets as unknown[]).length)
      void ask("explore", "presets").then(
        ({ presets }) => this.put({ presets }),
        () => undefined,
      );
    if (this.isLost) void this.compute();
  }

  get(name: string): unknown {
    return this.state[name];
  }

  set(name: string, value: unknown): void {
    this.state[name] = value;
    this.changed.add(name);
  }

  save_changes(): void {
    const names = [...this.changed];
    this.changed.clear();
    for (const name of names) this.tell(`change:${name}`);
    if (names.includes("expression") || names.includes("numbers")) void this.compute();
    else if (this.settling !== undefined && names.includes("at")) this.settle();
    this.remember();
  }

  on(event: string, callback: Callback): void {
    this.callbacks.set(event, (this.callbacks.get(event) ?? new Set()).add(callback));
  }

  off(event: string, callback?: Callback | null): void {
    if (callback) this.callbacks.get(event)?.delete(callback);
    else this.callbacks.delete(event);
  }

  send(content: unknown): void {
    const { id, do: doing, ...fields } = content as { id: number; do: string };
    const { expression, numbers, title } = this.state;
    const asked = this.sample
      ? ask("train", doing, { ...this.sample.fields, title, ...fields })
      : ask("explore", doing, { expression, numbers, ...fields });
    asked.then(
      (ok) => this.tell("msg:custom", { id, ok }),
      (error: Error) => this.tell("msg:custom", { id, error: error.message }),
    );
  }

  /** Ask for the scene; while an answer is awaited only the newest numbers wait. */
  private async compute(isWhole = false): Promise<void> {
    if (this.isAsking) {
      this.isStale = true;
      return;
    }
    this.isAsking = true;
    this.isLost = false;
    const { expression, numbers, at } = this.state;
    const isMove = this.drawn === expression && !isWhole;
    clearTimeout(this.settling);
    this.settling = undefined;
    try {
      if (isMove) {
        const found = await ask("explore", "move", { expression, numbers, ...(at === null ? {} : { at }) }, true);
        if (!this.sample)
          this.put({
            scene: renumbered(this.state.scene as Scene, found as unknown as Numbers, at as number | null),
            error: "",
          });
        if (!this.sample) this.settling = setTimeout(() => this.settle(), SETTLED);
      } else {
        const { scene, numbers: all } = await ask("explore", "set", { expression, numbers }, true);
        if (!this.sample) {
          this.drawn = expression as string;
          this.put({
            scene,
            error: "",
            ...(this.isStale ? {} : { numbers: { ...(this.state.numbers as Message), ...(all as Message) } }),
          });
        }
      }
      if (this.sample) this.isStale = false; // the graph of a sample has come in between
    } catch (problem) {
      // That nobody answers is no error of the expression; the page says it elsewhere.
      if (problem instanceof Disconnected) this.isLost = true;
      else this.put({ error: (problem as Error).message });
    }
    this.isAsking = false;
    this.remember();
    if (this.isStale) {
      this.isStale = false;
      void this.compute();
    }
  }

  /** The slider rests: ask for the words and formulas of all steps. */
  private settle(): void {
    void this.compute(true);
  }

  private put(state: Record<string, unknown>): void {
    Object.assign(this.state, state);
    for (const name of Object.keys(state)) this.tell(`change:${name}`);
  }

  private tell(event: string, ...given: unknown[]): void {
    for (const callback of this.callbacks.get(event) ?? []) callback(...(given as never[]));
  }

  private remember(): void {
    const { expression, numbers, scene, at } = this.state as {
      expression: string;
      numbers: Record<string, number>;
      scene: { inputs: string[] } | null;
      at: number | null;
    };
    const shown: Record<string, string | number | undefined> = {
      ...(this.sample ? this.sample.address : { e: expression }),
    };
    if (!this.sample)
      for (const name of scene?.inputs ?? []) if (Object.hasOwn(numbers, name)) shown[`n.${name}`] = numbers[name]!;
    if (at !== null) shown.at = at;
    if (!this.state.gradients) shown.gradients = "off";
    for (const name of ["speed", "nudge", "h"] as const)
      if (this.state[name] !== SETTINGS[name]) shown[name] = this.state[name] as string | number;
    saveState("explore", shown);
  }
}

let model: SocketModel | undefined;

/** What sample is shown, in words; nothing while an expression is. */
const sampleTitle = signal("");

/** Show the graph of a sample that a network is trained on. */
export function showSample(sample: Sample): void {
  (model ??= new SocketModel()).show(sample);
  sampleTitle.value = sample.title;
  openRoom("explore");
}

export function ExploreRoom() {
  const at = useRef<HTMLDivElement>(null);
  const shownAs = sampleTitle.value;
  useEffect(() => {
    const shown = (model ??= new SocketModel());
    const leave = onState("explore", (state) => shown.restore(state));
    const remove = explore.render({ model: shown, el: at.current! });
    return () => {
      leave();
      remove();
    };
  }, [shownAs]);
  return (
    <>
      {shownAs && (
        <p class="row from-train">
          <button onClick={() => openRoom("train")}>← Back to Train</button>
          <button class="quiet" onClick={() => model?.restore(new URLSearchParams())}>
            Explore an expression
          </button>
        </p>
      )}
      <div ref={at} />
    </>
  );
}
