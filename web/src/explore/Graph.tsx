// The graph: a box for each value with its number and gradient, curves for what it was computed from. The step that was
// just taken is lit; what is not computed yet waits in grey.
import { signOf, written } from "../numbers";
import { BOX, type Edge, type Layout } from "./layout";
import { isArray, type Node, type Scene, type Step, type Summary } from "./model";
import type { Standing } from "./progress";

const SMALLEST = 0.8; // how far a wide graph is shrunk before one has to scroll

export type Pointed = { node: number } | { edge: number } | null;

interface Props {
  scene: Scene;
  layout: Layout;
  standing: Standing;
  showGradients: boolean;
  largest: number;
  pointed: Pointed;
  onPoint: (pointed: Pointed) => void;
  onChoose?: ((node: Node) => void) | undefined;
  /** Names of nodes with a question mark in the place of their gradient. */
  asked?: string[] | undefined;
  chosen?: string[] | undefined;
  label: string;
}

export function shown(x: Summary | null | undefined, digits = 4): string {
  if (isArray(x ?? undefined)) return `array ${(x as { shape: number[] }).shape.join("×")}`;
  return typeof x === "string" && !/^(-?Infinity|NaN)$/.test(x) ? x : written(x as number, digits);
}

function clipped(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A node in words, for who hears the page. */
export function spoken(node: Node, grad: Summary | null, known: boolean): string {
  const made = node.formula ? `${node.name} = ${node.formula}` : `${node.name}, given`;
  return `${made}; value ${known ? shown(node.data) : "not computed yet"}${grad === null ? "" : `, gradient ${shown(grad)}`}`;
}

/** The backward step along an edge. */
export function stepOf(scene: Scene, edge: Edge): Step | undefined {
  return scene.steps.find((step) => step.phase === "backward" && step.node === edge.to && step.operand === edge.operand);
}

export function Graph({ scene, layout, standing, showGradients, largest, pointed, onPoint, onChoose, asked, chosen, label }: Props) {
  const { step } = standing;
  const near = new Set<number>();
  if (pointed && "node" in pointed) {
    for (const edge of layout.edges) {
      if (edge.to === pointed.node) near.add(edge.from);
      if (edge.from === pointed.node) near.add(edge.to);
    }
  }
  const backward = new Map<string, Step>();
  for (const taken of scene.steps) if (taken.phase === "backward") backward.set(`${taken.node}.${taken.operand}`, taken);
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${layout.width} ${layout.height}`}
      style={{ minWidth: `${SMALLEST * layout.width}px`, maxWidth: `${layout.width * 1.15}px` }}
      role="group"
      aria-label={label}
      onPointerLeave={() => onPoint(null)}
    >
      <g>
        {layout.edges.map((edge, i) => {
          const taken = backward.get(`${edge.to}.${edge.operand}`);
          const isForward = step?.phase === "forward" && step.node === edge.to;
          const isBackward = step?.phase === "backward" && step.node === edge.to && step.operand === edge.operand;
          const isPointed = pointed && "edge" in pointed && pointed.edge === i;
          const flowed = showGradients && taken && standing.grads[edge.to] !== null && !isArray(taken.contribution);
          const size = flowed ? Math.sqrt(Math.min(1, Math.abs(Number(taken.contribution)) / largest)) : 0;
          const kind = isForward ? "lit" : isBackward ? "back" : isPointed ? "pointed" : "";
          return (
            <g key={`${edge.from}.${edge.to}.${edge.operand}`} class={`edge ${kind}`}>
              {flowed && Number.isFinite(size) && (
                <path class={`flow ${signOf(taken.contribution as number)}`} d={edge.path} style={{ strokeWidth: `${(1 + 7 * size).toFixed(2)}px` }} />
              )}
              <path class="line" d={edge.path} />
              <path class="touch" d={edge.path} onPointerEnter={() => onPoint({ edge: i })} />
              {(isBackward || isPointed) && taken && taken.local !== null && taken.local !== undefined && (
                <g class="local" transform={`translate(${edge.middle.x},${edge.middle.y})`}>
                  <rect x={-36} y={-11} width={72} height={22} rx={11} />
                  <text text-anchor="middle" y={4}>{`× ${written(taken.local, 3)}`}</text>
                </g>
              )}
            </g>
          );
        })}
      </g>
      {scene.nodes.map((node) => {
        const { x, y } = layout.boxes[node.index]!;
        const known = standing.known[node.index]!;
        const grad = standing.grads[node.index] ?? null;
        const isLit = step !== null && step.node === node.index && step.phase !== "backward";
        const isGiver = step?.phase === "backward" && step.node === node.index;
        const isReceiver = step?.phase === "backward" && step.parent === node.index;
        const isPointed = pointed !== null && "node" in pointed && pointed.node === node.index;
        const classes = [
          "node",
          node.operands.length ? "made" : "leaf",
          node.index === scene.root ? "root" : "",
          known ? "" : "waiting",
          isLit ? "lit" : "",
          isGiver ? "giver" : "",
          isReceiver ? "back" : "",
          asked?.includes(node.name) ? "asked" : "",
          chosen?.includes(node.name) ? "chosen" : "",
          isPointed ? "pointed" : near.has(node.index) ? "near" : "",
        ];
        const size = grad === null || isArray(grad) ? 0 : Math.min(1, Math.abs(Number(grad)) / largest);
        const left = -BOX.width / 2;
        const top = -BOX.height / 2;
        return (
          <g
            key={node.index}
            class={classes.join(" ")}
            transform={`translate(${x},${y})`}
            tabIndex={0}
            role={onChoose ? "button" : "img"}
            aria-label={spoken(node, showGradients ? grad : null, known)}
            data-node={node.name}
            onPointerEnter={() => onPoint({ node: node.index })}
            onFocus={() => onPoint({ node: node.index })}
            onBlur={() => onPoint(null)}
            onClick={() => onChoose?.(node)}
            onKeyDown={(event) => {
              if (onChoose && (event.key === "Enter" || event.key === " ")) {
                event.preventDefault();
                event.stopPropagation();
                onChoose(node);
              }
            }}
          >
            <rect class="box" x={left} y={top} width={BOX.width} height={BOX.height} rx={10} />
            {node.op && (
              <g class="op" transform={`translate(${left + 12},${top + 11})`}>
                <title>{node.formula}</title>
                <rect x={-7} y={-7} width={Math.max(24, 12 + 7 * clipped(node.sign, 8).length)} height={18} rx={9} />
                <text x={-7 + Math.max(24, 12 + 7 * clipped(node.sign, 8).length) / 2} y={6} text-anchor="middle">
                  {clipped(node.sign, 8)}
                </text>
              </g>
            )}
            <text class="name" x={-left - 10} y={top + 18} text-anchor="end">
              {clipped(node.name, 10)}
            </text>
            <text class="key" x={left + 10} y={top + 39}>
              value
            </text>
            <text class="data" x={-left - 10} y={top + 39} text-anchor="end">
              {known ? shown(node.data) : "·"}
            </text>
            {showGradients && (
              <>
                <text class="key" x={left + 10} y={top + 56}>
                  grad
                </text>
                <text class={`grad ${grad === null || isArray(grad) ? "" : signOf(grad as number)}`} x={-left - 10} y={top + 56} text-anchor="end">
                  {asked?.includes(node.name) ? "?" : grad === null ? "·" : shown(grad)}
                </text>
                {size > 0 && <rect class={`bar ${signOf(grad as number)}`} x={left + 2} y={-top - 4} width={Math.max(2, size * (BOX.width - 4))} height={3} rx={1.5} />}
              </>
            )}
          </g>
        );
      })}
    </svg>
  );
}
