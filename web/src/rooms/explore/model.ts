// The anywidget model of the page: changes go to the server over the socket, and answers come back as changes.
import { withNumbers } from "adjoint-explore";
import type { Model, Scene } from "../../explore/model";
import type { Numbers } from "../../explore/moves";
import { ask, connection, Disconnected, type Message, progress } from "../../shared/connection";
import { isEmbedded, type RoomName, saveState, stateOf } from "../../shared/fragment";
import { afterPaint } from "../../shared/paint";
import {
  type Address,
  DEFAULT_EXPRESSION,
  DEFAULT_SETTINGS,
  expressionAddress,
  expressionOf,
  type Settings,
  settingsAddress,
  settingsOf,
} from "./address";
import { findPrebuilt, type PrebuiltScene, prebuiltPresets } from "./prebuilt";
import { haveSameGraph, numbersIn, withInputs } from "./statements";

/** The graph of one sample, which another room has computed. */
export interface Sample {
  scene: unknown;
  title: string;
  /** The room that computed the graph, and the fields that identify the sample in requests to it. */
  room: RoomName;
  fields: Message;
  /** The parameters of the address that restore the sample. */
  address: Address;
}

/** Restores and shows the sample of an address. */
export type SampleLoader = (params: URLSearchParams) => Promise<void>;

type Callback = (...args: never[]) => void;

const WAITING = "Python is starting; then the graph of this expression appears.";
const SETTLE_DELAY = 150; // milliseconds without a move until the texts of all steps are requested

export class SocketModel implements Model {
  private state: Record<string, unknown> = {
    kind: "expression",
    expression: DEFAULT_EXPRESSION,
    numbers: {},
    presets: [],
    scene: null,
    error: "",
    notes: "",
    at: null,
    ...DEFAULT_SETTINGS,
  };
  private callbacks = new Map<string, Set<Callback>>();
  private dirtyNames = new Set<string>();
  private isAsking = false;
  private isStale = false;
  private isWaiting = false;
  private isLost = false;
  private sample: Sample | null = null;
  /** The expression of the current scene: while only numbers change, only numbers are requested. */
  private sceneExpression: string | null = null;
  private settleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private loadSample: SampleLoader) {
    this.restore(stateOf("explore"));
    connection.subscribe((now) => now === "open" && this.onOpen());
    void prebuiltPresets().then((presets) => presets.length && this.update({ presets }));
  }

  restore(params: URLSearchParams): void {
    this.update(settingsOf(params));
    if (params.has("sample")) {
      this.loadSample(params).catch((error: Error) => this.update({ kind: "expression", error: error.message }));
      return;
    }
    this.sample = null;
    this.sceneExpression = null;
    this.update({ kind: "expression", title: undefined, ...expressionOf(params) });
    void this.compute();
  }

  /** Show the graph of a sample: it can be played, but there is no expression to edit. */
  show(sample: Sample): void {
    const isRestored = this.sample === null && stateOf("explore").has("sample");
    this.sample = sample;
    clearTimeout(this.settleTimer);
    const position = isRestored ? {} : { at: null };
    this.update({ kind: "sample", scene: sample.scene, title: sample.title, error: "", ...position });
    this.saveAddress();
  }

  /** Request what is missing after the connection opens, for the first time or again. */
  private onOpen(): void {
    if (!(this.state.presets as unknown[]).length) {
      ask("explore", "presets").then(
        ({ presets }) => this.update({ presets }),
        () => undefined,
      );
    }
    if (this.isLost) void this.compute();
  }

  get(name: string): unknown {
    return this.state[name];
  }

  set(name: string, value: unknown): void {
    if (name === "numbers" && !this.dirtyNames.has("expression")) this.writeNumbers(value as Record<string, number>);
    this.state[name] = value;
    this.dirtyNames.add(name);
    if (name === "expression") this.readNumbers(value as string);
  }

  /** Take the numbers of the inputs from the text, if they are all that has changed: the graph shows them at once. */
  private readNumbers(text: string): void {
    if (!this.hasScene()) return;
    const numbers = this.state.numbers as Record<string, number>;
    const read = Object.entries(numbersIn(text)).filter(
      ([name, x]) => Object.hasOwn(numbers, name) && numbers[name] !== x,
    );
    if (!read.length) return;
    this.state.numbers = { ...numbers, ...Object.fromEntries(read) };
    this.dirtyNames.add("numbers");
  }

  /** Write the numbers that a slider or a field has changed into the text, where it has them. */
  private writeNumbers(numbers: Record<string, number>): void {
    const { expression, scene } = this.state as { expression: string; scene: Scene | null };
    const before = this.state.numbers as Record<string, number>;
    const changed = (scene?.inputs ?? []).filter((name) => numbers[name] !== before[name]);
    const text = withInputs(expression, numbers, changed);
    if (text !== expression) this.set("expression", text);
  }

  save_changes(): void {
    const names = [...this.dirtyNames];
    this.dirtyNames.clear();
    for (const name of names) this.emit(`change:${name}`);
    if (names.includes("expression") || names.includes("numbers")) this.computeLater();
    else if (this.settleTimer !== undefined && names.includes("at")) void this.compute(true);
    this.saveAddress();
  }

  on(event: string, callback: Callback): void {
    this.callbacks.set(event, (this.callbacks.get(event) ?? new Set()).add(callback));
  }

  off(event: string, callback?: Callback | null): void {
    if (callback) this.callbacks.get(event)?.delete(callback);
    else this.callbacks.delete(event);
  }

  send(content: unknown): void {
    const { id, do: command, ...fields } = content as { id: number; do: string };
    const { expression, numbers, title } = this.state;
    // The page may still show an earlier scene, with names that the new expression does not have; its scene asks again.
    if (command === "nudge" && !this.sample && this.isEarlierName((fields as { name?: string }).name)) {
      this.emit("msg:custom", { id, error: "" });
      return;
    }
    const answer = this.sample
      ? ask(this.sample.room, command, { ...this.sample.fields, title, ...fields })
      : ask("explore", command, { expression, numbers, ...fields });
    answer.then(
      (ok) => this.emit("msg:custom", { id, ok }),
      (error: Error) => this.emit("msg:custom", { id, error: error.message }),
    );
  }

  /** Compute, but if the page has computed the numbers itself, after it has painted them. */
  private computeLater(): void {
    if (!this.hasScene() || !(this.state.scene as Scene).computable) return void this.compute();
    if (this.isWaiting) return;
    this.isWaiting = true;
    afterPaint(() => {
      this.isWaiting = false;
      void this.compute();
    });
  }

  /** Whether the scene is the graph of the current expression, with these or other numbers. */
  private hasScene(): boolean {
    return this.sceneExpression !== null && haveSameGraph(this.sceneExpression, this.state.expression as string);
  }

  /** Whether a name comes from a scene that another one replaces, or has replaced before the page was painted again. */
  private isEarlierName(name = ""): boolean {
    if (!this.hasScene()) return this.isAsking;
    return !(this.state.scene as Scene).inputs.includes(name);
  }

  /** Request the scene, or only its numbers. One request at a time; the newest state is sent when it is answered. */
  private async compute(isWhole = false): Promise<void> {
    if (this.isAsking) {
      this.isStale = true;
      return this.showUntilStarted();
    }
    this.isAsking = true;
    this.isLost = false;
    clearTimeout(this.settleTimer);
    this.settleTimer = undefined;
    try {
      const hasScene = this.hasScene();
      const known =
        hasScene || connection.value === "open" ? undefined : await findPrebuilt(this.state.expression as string);
      if (!hasScene && !known && progress.value) this.update({ notes: WAITING });
      if (known) this.showPrebuilt(known);
      else if (hasScene && isEmbedded.value && (this.state.scene as Scene).computable) this.update({ error: "" });
      else if (hasScene && !isWhole) await this.requestNumbers();
      else await this.requestScene();
      if (this.sample) this.isStale = false; // a sample has replaced the expression in the meantime
    } catch (error) {
      // A lost connection is not an error of the expression; the page reports it elsewhere.
      if (error instanceof Disconnected) this.isLost = true;
      else this.update({ error: (error as Error).message });
    }
    this.isAsking = false;
    this.saveAddress();
    if (this.isStale) {
      this.isStale = false;
      void this.compute();
    }
  }

  /** While a request waits for Python to start, show a known graph of a newer expression, or say why there is none. */
  private async showUntilStarted(): Promise<void> {
    const { expression } = this.state;
    if (!progress.value || this.sample) return;
    if (this.hasScene()) return this.state.notes === WAITING ? this.update({ notes: "" }) : undefined;
    const known = await findPrebuilt(expression as string);
    if (!progress.value || this.sample || this.state.expression !== expression) return;
    if (known) this.showPrebuilt(known);
    else this.update({ notes: WAITING });
  }

  private async requestNumbers(): Promise<void> {
    const { expression, numbers } = this.state;
    const shown = this.sceneExpression;
    const at = this.state.at as number | null;
    const fields = { expression, numbers, ...(at === null ? {} : { at }) };
    const answer = (await ask("explore", "move", fields, true)) as unknown as Numbers;
    if (this.sample || this.sceneExpression !== shown) return;
    this.update({ scene: withNumbers(this.state.scene as Scene, answer, at), error: "" });
    // When the slider rests, request the texts and formulas of all steps.
    this.settleTimer = setTimeout(() => void this.compute(true), SETTLE_DELAY);
  }

  private async requestScene(): Promise<void> {
    const { expression, numbers } = this.state;
    const answer = await ask("explore", "set", { expression, numbers }, true);
    if (this.sample) return;
    this.sceneExpression = expression as string;
    const allNumbers = { ...(this.state.numbers as Message), ...(answer.numbers as Message) };
    const { scene, notes } = answer;
    this.update({ scene, notes, error: "", ...(this.isStale ? {} : { numbers: allNumbers }) });
  }

  /** Show a scene that the site was built with. The page computes other numbers itself, and the engine adds the texts. */
  private showPrebuilt({ scene, numbers, notes }: PrebuiltScene): void {
    const { expression, numbers: given } = this.state as { expression: string; numbers: Record<string, number> };
    this.sceneExpression = expression;
    const all = { ...numbers, ...given, ...numbersIn(expression) };
    this.update({ scene, notes, error: "", numbers: all });
    if (!isEmbedded.value && scene.inputs.some((name) => all[name] !== numbers[name])) void this.compute(true);
  }

  private update(changes: Record<string, unknown>): void {
    Object.assign(this.state, changes);
    for (const name of Object.keys(changes)) this.emit(`change:${name}`);
  }

  private emit(event: string, ...args: unknown[]): void {
    for (const callback of this.callbacks.get(event) ?? []) callback(...(args as never[]));
  }

  private saveAddress(): void {
    const { expression, numbers, scene } = this.state as {
      expression: string;
      numbers: Record<string, number>;
      scene: Scene | null;
    };
    const content = this.sample ? this.sample.address : expressionAddress(expression, numbers, scene?.inputs ?? []);
    saveState("explore", { ...content, ...settingsAddress(this.state as Settings & { at: number | null }) });
  }
}
