// The entry point for the page, notebooks and exported files: Explore as an anywidget module.
import "../shared/theme.css";
import "./explore.css";
import { render as mount } from "preact";
import { evaluate } from "../rules/graph";
import { TABLE } from "../rules/table";
import { Compact } from "./Compact";
import { Explore } from "./Explore";
import { type Model, recordingModel, type Scene } from "./model";
import { moveScene, withNumbers } from "./moves";
import { Still, type StillOptions } from "./Still";

/** Render Explore into an element. Returns a function that removes it. */
function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  if (!el.closest(".adjoint")) el.classList.add("adjoint");
  mount(<Explore model={model} />, el);
  return () => mount(null, el);
}

/** Render just the graph and its sliders, fitted to the element. Returns a function that removes it. */
export function compact({ model, el }: { model: Model; el: HTMLElement }): () => void {
  mount(<Compact model={model} />, el);
  return () => mount(null, el);
}

/** Render a graph without a player. Returns a function that removes it. */
export function still(el: HTMLElement, scene: Scene, options: StillOptions = {}): () => void {
  mount(<Still scene={scene} options={options} />, el);
  return () => mount(null, el);
}

// The page imports these from here, so that it does not load the table of rules twice.
export { evaluate, moveScene, TABLE, withNumbers };

export default { render };

const recording = typeof document === "undefined" ? null : document.getElementById("adjoint-recording");
if (recording)
  render({ model: recordingModel(JSON.parse(recording.textContent ?? "")), el: document.getElementById("explore")! });
