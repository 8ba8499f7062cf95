// Where the boxes of a graph are: dagre's layers, from left to right or, where the room is narrow, from top to bottom.
import { graphlib, layout } from "@dagrejs/dagre";
import type { Node, Scene } from "./model";

export const BOX = { width: 122, height: 64 };

export interface Edge {
  from: number;
  to: number;
  operand: number;
  path: string;
  middle: { x: number; y: number };
}

export interface Layout {
  key: string;
  width: number;
  height: number;
  boxes: { x: number; y: number }[];
  edges: Edge[];
}

/** The same for scenes that are drawn alike, whatever their numbers are. */
export function keyOf(scene: Scene, direction: string): string {
  return `${direction}:${scene.nodes.map((node) => `${node.op}(${node.operands.map((x) => ("node" in x ? x.node : "c")).join()})`).join(";")}`;
}

export function arranged(scene: Scene, direction: "LR" | "TB"): Layout {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 22, ranksep: direction === "LR" ? 56 : 44, marginx: 14, marginy: 14 });
  for (const node of scene.nodes) graph.setNode(String(node.index), { ...BOX });
  for (const node of scene.nodes) {
    node.operands.forEach((x, operand) => {
      if ("node" in x) graph.setEdge(String(x.node), String(node.index), {}, String(operand));
    });
  }
  layout(graph);
  const boxes = scene.nodes.map((node) => {
    const { x, y } = graph.node(String(node.index)) as { x: number; y: number };
    return { x, y };
  });
  const edges = scene.nodes.flatMap((node) => edgesInto(node, boxes, direction, graph));
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { key: keyOf(scene, direction), width, height, boxes, edges };
}

type Point = { x: number; y: number };

/** The curves into a node: they arrive beside each other, in the order of its operands. */
function edgesInto(node: Node, boxes: Point[], direction: "LR" | "TB", graph: graphlib.Graph): Edge[] {
  const [to, isWide] = [boxes[node.index]!, direction === "LR"];
  const places = node.operands.flatMap((x, operand) => ("node" in x ? [{ from: x.node, operand }] : []));
  // Those that come from above arrive above: the curves do not cross on their last stretch.
  const sorted = [...places].sort((a, b) => (isWide ? boxes[a.from]!.y - boxes[b.from]!.y : boxes[a.from]!.x - boxes[b.from]!.x) || a.operand - b.operand);
  return places.map(({ from, operand }) => {
    const beside = (sorted.findIndex((place) => place.operand === operand) - (places.length - 1) / 2) * 16;
    const doubled = places.filter((place) => place.from === from).length > 1 ? beside : 0;
    const source = boxes[from]!;
    const start = isWide ? { x: source.x + BOX.width / 2, y: source.y + doubled } : { x: source.x + doubled, y: source.y + BOX.height / 2 };
    const end = isWide ? { x: to.x - BOX.width / 2, y: to.y + beside } : { x: to.x + beside, y: to.y - BOX.height / 2 };
    const { points } = graph.edge(String(from), String(node.index), String(operand)) as { points: Point[] };
    const between = points.length > 3 ? points.slice(1, -1) : [];
    return { from, to: node.index, operand, ...curve([start, ...between, end], isWide) };
  });
}

function curve(points: Point[], isWide: boolean): { path: string; middle: Point } {
  let path = `M${round(points[0]!)}`;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1]!, points[i]!];
    const half = isWide ? (a.x + b.x) / 2 : (a.y + b.y) / 2;
    path += isWide ? `C${round({ x: half, y: a.y })} ${round({ x: half, y: b.y })} ${round(b)}` : `C${round({ x: a.x, y: half })} ${round({ x: b.x, y: half })} ${round(b)}`;
  }
  const [a, b] = [points[points.length - 2]!, points[points.length - 1]!];
  return { path, middle: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } };
}

function round({ x, y }: Point): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}
