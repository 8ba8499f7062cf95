// The numbers of a graph as signals. While a slider moves, only numbers change: each signal updates the text or attribute
// that shows it, and nothing else renders again.
import { batch, type Signal, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatNumber, signOf } from "../shared/numbers";
import type { Layout } from "./layout";
import { isArray, type Node, type Scene, type Step, type Summary } from "./model";
import type { Progress } from "./progress";

export interface BoxFigures {
  data: Signal<string>;
  grad: Signal<string>;
  gradClass: Signal<string>;
  barClass: Signal<string>;
  /** The length of the bar below the numbers. */
  bar: Signal<number>;
  spoken: Signal<string>;
}

export interface CurveFigures {
  /** The width of the gradient flow along the edge. */
  flow: Signal<number>;
  flowClass: Signal<string>;
}

export interface Figures {
  boxes: BoxFigures[];
  curves: CurveFigures[];
}

interface View {
  progress: Progress;
  showGradients: boolean;
  /** Names of nodes that show a question mark instead of their gradient. */
  questions?: string[] | undefined;
}

/** Format a value: a number, or the shape of an array. */
export function formatSummary(x: Summary | null | undefined, digits = 4): string {
  if (isArray(x ?? undefined)) return `array ${(x as { shape: number[] }).shape.join("×")}`;
  return typeof x === "string" && !/^(-?Infinity|NaN)$/.test(x) ? x : formatNumber(x as number, digits);
}

/** The figures of a graph; they live as long as its layout. */
export function useFigures(scene: Scene, layout: Layout, { progress, showGradients, questions }: View): Figures {
  const cache = useRef<{ layout: Layout; figures: Figures } | null>(null);
  if (cache.current?.layout !== layout) cache.current = { layout, figures: emptyFigures(scene, layout) };
  const { figures } = cache.current;
  useLayoutEffect(
    () => batch(() => fill(figures, scene, layout, { progress, showGradients, questions })),
    [figures, scene, layout, progress, showGradients, questions],
  );
  return figures;
}

function emptyFigures(scene: Scene, layout: Layout): Figures {
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
  { progress, showGradients, questions }: View,
): void {
  const largest = largestGradient(scene);
  for (const node of scene.nodes) {
    const { data, grad, gradClass, barClass, bar, spoken } = boxes[node.index]!;
    const [isKnown, isQuestion] = [progress.known[node.index]!, questions?.includes(node.name) ?? false];
    const gradient = isQuestion ? null : (progress.grads[node.index] ?? null);
    const sign = gradient === null || isArray(gradient) ? "" : signOf(gradient as number);
    const size = share(gradient, largest);
    data.value = isKnown ? formatSummary(node.data) : "·";
    grad.value = isQuestion ? "?" : gradient === null ? "·" : formatSummary(gradient);
    gradClass.value = `grad ${sign}`;
    barClass.value = `bar ${sign}`;
    bar.value = size > 0 ? Math.max(2, 2 * Math.round((size * (layout.box.width - 4)) / 2)) : 0;
    spoken.value = describe(node, showGradients ? gradient : null, isKnown);
  }
  const backward = new Map<string, Step>();
  for (const step of scene.steps) if (step.phase === "backward") backward.set(`${step.node}.${step.operand}`, step);
  layout.edges.forEach((edge, i) => {
    const key = `${edge.to}.${edge.operand}`;
    const step = backward.get(key);
    const hasFlow = step !== undefined && progress.flows.has(key) && !isArray(step.contribution);
    const width = hasFlow ? 1 + 7 * Math.sqrt(share(step.contribution, largest)) : 0;
    curves[i]!.flow.value = Math.round(2 * width) / 2;
    curves[i]!.flowClass.value = hasFlow ? `flow ${signOf(step.contribution as number)}` : "flow";
  });
}

/** The largest gradient of a scene: the scale of edges and bars. */
function largestGradient(scene: Scene): number {
  const sizes = scene.nodes
    .map((node) => (isArray(node.grad) ? 0 : Math.abs(Number(node.grad))))
    .filter(Number.isFinite);
  return Math.max(1e-300, ...sizes);
}

/** The size of a gradient relative to the largest one, from 0 to 1; 0 if it is unknown or not finite. */
function share(x: Summary | null | undefined, largest: number): number {
  const size = x === null || isArray(x ?? undefined) ? 0 : Math.min(1, Math.abs(Number(x)) / largest);
  return Number.isFinite(size) ? size : 0;
}

/** A description of a node for screen readers. */
function describe(node: Node, grad: Summary | null, isKnown: boolean): string {
  const origin = node.formula ? `${node.name} = ${node.formula}` : `${node.name}, input`;
  return `${origin}; value ${isKnown ? formatSummary(node.data) : "not computed yet"}${grad === null ? "" : `, gradient ${formatSummary(grad)}`}`;
}
