// The layout of a graph by dagre: from left to right, more tightly if the canvas is too narrow for it, and from top to
// bottom on small screens.
import { layout as computeLayout, graphlib } from "@dagrejs/dagre";
import type { Node, Scene } from "./model";

export const SMALLEST = 0.7; // the smallest scale of a wide graph; beyond it, the canvas scrolls
const NARROW = 560; // pixels

export interface Edge {
  from: number;
  to: number;
  operand: number;
  path: string;
  middle: { x: number; y: number };
}

interface Spacing {
  direction: "LR" | "TB";
  box: { width: number; height: number };
  /** The gap between layers, and within a layer. */
  layers: number;
  beside: number;
}

export interface Layout extends Spacing {
  key: string;
  width: number;
  height: number;
  boxes: { x: number; y: number }[];
  edges: Edge[];
}

const WIDE: Spacing = { direction: "LR", box: { width: 128, height: 64 }, layers: 56, beside: 22 };
const TIGHT: Spacing = { direction: "LR", box: { width: 116, height: 64 }, layers: 30, beside: 18 };
const VERTICAL: Spacing = { direction: "TB", box: { width: 116, height: 64 }, layers: 40, beside: 14 };

/** Equal for scenes with the same layout, independent of their numbers. */
export function keyOf(scene: Scene): string {
  return scene.nodes
    .map((node) => `${node.op}(${node.operands.map((x) => ("node" in x ? x.node : "c")).join()})`)
    .join(";");
}

/** The layout of a graph for a canvas of this width. */
export function layoutFor(scene: Scene, width: number): Layout {
  if (width < NARROW) return layoutWith(scene, VERTICAL);
  const wide = layoutWith(scene, WIDE);
  return wide.width * 0.85 <= width ? wide : layoutWith(scene, TIGHT);
}

function layoutWith(scene: Scene, spacing: Spacing): Layout {
  const { direction, box, layers, beside } = spacing;
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: beside, ranksep: layers, marginx: 12, marginy: 12 });
  for (const node of scene.nodes) graph.setNode(String(node.index), { ...box });
  for (const node of scene.nodes) {
    node.operands.forEach((x, operand) => {
      if ("node" in x) graph.setEdge(String(x.node), String(node.index), {}, String(operand));
    });
  }
  computeLayout(graph);
  const boxes = scene.nodes.map((node) => {
    const { x, y } = graph.node(String(node.index)) as { x: number; y: number };
    return { x, y };
  });
  const edges = scene.nodes.flatMap((node) => edgesInto(node, boxes, spacing, graph));
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { ...spacing, key: keyOf(scene), width, height, boxes, edges };
}

type Point = { x: number; y: number };

/** The curves into a node; they end side by side. */
function edgesInto(node: Node, boxes: Point[], { direction, box }: Spacing, graph: graphlib.Graph): Edge[] {
  const [to, isWide] = [boxes[node.index]!, direction === "LR"];
  const places = node.operands.flatMap((x, operand) => ("node" in x ? [{ from: x.node, operand }] : []));
  // Sorted by where they start, so that the curves do not cross near the node.
  const sorted = [...places].sort(
    (a, b) =>
      (isWide ? boxes[a.from]!.y - boxes[b.from]!.y : boxes[a.from]!.x - boxes[b.from]!.x) || a.operand - b.operand,
  );
  return places.map(({ from, operand }) => {
    const beside = (sorted.findIndex((place) => place.operand === operand) - (places.length - 1) / 2) * 16;
    const startOffset = places.filter((place) => place.from === from).length > 1 ? beside : 0;
    const source = boxes[from]!;
    const start = isWide
      ? { x: source.x + box.width / 2, y: source.y + startOffset }
      : { x: source.x + startOffset, y: source.y + box.height / 2 };
    const end = isWide ? { x: to.x - box.width / 2, y: to.y + beside } : { x: to.x + beside, y: to.y - box.height / 2 };
    const { points } = graph.edge(String(from), String(node.index), String(operand)) as { points: Point[] };
    const between = points.length > 3 ? points.slice(1, -1) : [];
    const { path, middle } = curve([start, ...between, end], isWide);
    // Between close boxes there is no room for the label of the edge, so it goes above them.
    const isShort = isWide && end.x - start.x < 40 && Math.abs(end.y - start.y) < box.height / 2;
    return {
      from,
      to: node.index,
      operand,
      path,
      middle: isShort ? { x: middle.x, y: Math.min(to.y, source.y) - box.height / 2 - 2 } : middle,
    };
  });
}

function curve(points: Point[], isWide: boolean): { path: string; middle: Point } {
  let path = `M${round(points[0]!)}`;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1]!, points[i]!];
    const half = isWide ? (a.x + b.x) / 2 : (a.y + b.y) / 2;
    path += isWide
      ? `C${round({ x: half, y: a.y })} ${round({ x: half, y: b.y })} ${round(b)}`
      : `C${round({ x: a.x, y: half })} ${round({ x: b.x, y: half })} ${round(b)}`;
  }
  const [a, b] = [points[points.length - 2]!, points[points.length - 1]!];
  return { path, middle: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } };
}

function round({ x, y }: Point): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}
