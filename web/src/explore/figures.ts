// The numbers of a graph as signals. They change with every move of a slider while the graph stays as it is: a signal goes
// straight to the text or the attribute that shows it, and nothing else is drawn again.
import { batch, type Signal, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { signOf, formatNumber } from "../shared/numbers";
import type { Layout } from "./layout";
import { isArray, type Node, type Scene, type Step, type Summary } from "./model";
import type { Progress } from "./progress";

export interface BoxFigures {
  data: Signal<string>;
  grad: Signal<string>;
  gradClass: Signal<string>;
  barClass: Signal<string>;
  /** How long the bar under the numbers is. */
  bar: Signal<number>;
  spoken: Signal<string>;
}

export interface CurveFigures {
  /** How wide the gradient flows. */
  flow: Signal<number>;
  flowClass: Signal<string>;
}

export interface Figures {
  boxes: BoxFigures[];
  curves: CurveFigures[];
}

interface Shown {
  progress: Progress;
  showGradients: boolean;
  /** Names of nodes with a question mark in the place of their gradient. */
  asked?: string[] | undefined;
}

export function formatSummary(x: Summary | null | undefined, digits = 4): string {
  if (isArray(x ?? undefined)) return `array ${(x as { shape: number[] }).shape.join("×")}`;
  return typeof x === "string" && !/^(-?Infinity|NaN)$/.test(x) ? x : formatNumber(x as number, digits);
}

/** The figures of a graph, which are kept as long as its layout is. */
export function useFigures(scene: Scene, layout: Layout, { progress, showGradients, asked }: Shown): Figures {
  const kept = useRef<{ layout: Layout; figures: Figures } | null>(null);
  if (kept.current?.layout !== layout) kept.current = { layout, figures: blank(scene, layout) };
  const { figures } = kept.current;
  useLayoutEffect(
    () => batch(() => fill(figures, scene, layout, { progress, showGradients, asked })),
    [figures, scene, layout, progress, showGradients, asked],
  );
  return figures;
}

function blank(scene: Scene, layout: Layout): Figures {
  return {
    boxes: scene.nodes.map(() => ({
      data: signal(""),
      grad: signal(""),
      gradClass: signal("grad"),
      barClass: signal("bar"),
      bar: signal(0),
      spoken: signal(""),
    })),
    curves: layout.edges.map(() => ({ flow: signal(0), flowClass: signal("flow") })),
  };
}

function fill(
  { boxes, curves }: Figures,
  scene: Scene,
  layout: Layout,
  { progress, showGradients, asked }: Shown,
): void {
  const largest = largestGradient(scene);
  for (const node of scene.nodes) {
    const { data, grad, gradClass, barClass, bar, spoken } = boxes[node.index]!;
    const [isKnown, isAsked] = [progress.known[node.index]!, asked?.includes(node.name) ?? false];
    const found = isAsked ? null : (progress.grads[node.index] ?? null);
    const sign = found === null || isArray(found) ? "" : signOf(found as number);
    const size = share(found, largest);
    data.value = isKnown ? formatSummary(node.data) : "·";
    grad.value = isAsked ? "?" : found === null ? "·" : formatSummary(found);
    gradClass.value = `grad ${sign}`;
    barClass.value = `bar ${sign}`;
    bar.value = size > 0 ? Math.max(2, 2 * Math.round((size * (layout.box.width - 4)) / 2)) : 0;
    spoken.value = inWords(node, showGradients ? found : null, isKnown);
  }
  const backward = new Map<string, Step>();
  for (const step of scene.steps) if (step.phase === "backward") backward.set(`${step.node}.${step.operand}`, step);
  layout.edges.forEach((edge, i) => {
    const key = `${edge.to}.${edge.operand}`;
    const step = backward.get(key);
    const hasFlowed = step !== undefined && progress.flows.has(key) && !isArray(step.contribution);
    const width = hasFlowed ? 1 + 7 * Math.sqrt(share(step.contribution, largest)) : 0;
    curves[i]!.flow.value = Math.round(2 * width) / 2;
    curves[i]!.flowClass.value = hasFlowed ? `flow ${signOf(step.contribution as number)}` : "flow";
  });
}

/** The largest gradient of a scene, by which edges and bars are measured. */
function largestGradient(scene: Scene): number {
  const sizes = scene.nodes
    .map((node) => (isArray(node.grad) ? 0 : Math.abs(Number(node.grad))))
    .filter(Number.isFinite);
  return Math.max(1e-300, ...sizes);
}

/** How large a gradient is beside the largest one, from 0 to 1; 0 where that cannot be said. */
function share(x: Summary | null | undefined, largest: number): number {
  const size = x === null || isArray(x ?? undefined) ? 0 : Math.min(1, Math.abs(Number(x)) / largest);
  return Number.isFinite(size) ? size : 0;
}

/** A node in words, for who hears the page. */
function inWords(node: Node, grad: Summary | null, isKnown: boolean): string {
  const made = node.formula ? `${node.name} = ${node.formula}` : `${node.name}, given`;
  return `${made}; value ${isKnown ? formatSummary(node.data) : "not computed yet"}${grad === null ? "" : `, gradient ${formatSummary(grad)}`}`;
}
