// Where the boxes of a graph are: dagre's layers, from left to right or, where the room is narrow, from top to bottom.
import { graphlib, layout } from "@dagrejs/dagre";
import type { Scene } from "./model";

export const BOX = { width: 138, height: 66 };

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
  graph.setGraph({ rankdir: direction, nodesep: 22, ranksep: direction === "LR" ? 54 : 44, marginx: 14, marginy: 14 });
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
  const edges: Edge[] = [];
  for (const node of scene.nodes) {
    const twice = new Map<number, number>();
    node.operands.forEach((x, operand) => {
      if (!("node" in x)) return;
      const nth = twice.get(x.node) ?? 0;
      twice.set(x.node, nth + 1);
      const { points } = graph.edge(String(x.node), String(node.index), String(operand)) as { points: { x: number; y: number }[] };
      edges.push({ from: x.node, to: node.index, operand, ...curve(points, direction, nth) });
    });
  }
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { key: keyOf(scene, direction), width, height, boxes, edges };
}

function curve(points: { x: number; y: number }[], direction: "LR" | "TB", nth: number): { path: string; middle: { x: number; y: number } } {
  const across = direction === "LR" ? { x: 0, y: nth * 12 } : { x: nth * 12, y: 0 };
  const moved = points.map((p, i) => (i === 0 || i === points.length - 1 ? { x: p.x + across.x * 0.5, y: p.y + across.y * 0.5 } : { x: p.x + across.x, y: p.y + across.y }));
  let path = `M${round(moved[0]!)}`;
  for (let i = 1; i < moved.length; i++) {
    const a = moved[i - 1]!;
    const b = moved[i]!;
    const half = direction === "LR" ? (a.x + b.x) / 2 : (a.y + b.y) / 2;
    path += direction === "LR" ? `C${half.toFixed(1)},${a.y.toFixed(1)} ${half.toFixed(1)},${b.y.toFixed(1)} ${round(b)}` : `C${a.x.toFixed(1)},${half.toFixed(1)} ${b.x.toFixed(1)},${half.toFixed(1)} ${round(b)}`;
  }
  return { path, middle: moved[Math.floor(moved.length / 2)]! };
}

function round({ x, y }: { x: number; y: number }): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}
