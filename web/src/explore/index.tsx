// What a page, a notebook and an exported file load: Explore, by anywidget's contract.
import "../shared/theme.css";
import "./explore.css";
import { render as mount } from "preact";
import { Explore } from "./Explore";
import { type Model, recordingModel, type Scene } from "./model";
import { Still } from "./Still";

/** Show Explore in an element; what is returned takes it away again. */
function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  if (!el.closest(".adjoint")) el.classList.add("adjoint");
  mount(<Explore model={model} />, el);
  return () => mount(null, el);
}

export interface StillOptions {
  /** The number of steps that have been taken; all of them, if nothing is said. */
  at?: number;
  showGradients?: boolean;
  /** Names of nodes that are marked with a question mark in the place of their numbers. */
  asked?: string[];
  /** Called with the name of a node that is chosen; without it nodes cannot be chosen. */
  onChoose?: (name: string) => void;
  chosen?: string[];
}

/** Draw a graph without a player, for who explains something with it; what is returned takes it away again. */
export function still(el: HTMLElement, scene: Scene, options: StillOptions = {}): () => void {
  mount(<Still scene={scene} options={options} />, el);
  return () => mount(null, el);
}

export default { render };

const recording = typeof document === "undefined" ? null : document.getElementById("adjoint-recording");
if (recording)
  render({ model: recordingModel(JSON.parse(recording.textContent ?? "")), el: document.getElementById("explore")! });
