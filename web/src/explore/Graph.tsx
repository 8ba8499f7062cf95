// The graph: a box for each value, curves for what it was computed from. The step that was just taken is lit; what is not
// computed yet waits in grey.
import { signOf, written } from "../numbers";
import { Box, Curve, Local } from "./Boxes";
import { type Edge, type Layout, SMALLEST } from "./layout";
import { isArray, type Node, type Scene, type Step, type Summary } from "./model";
import type { Standing } from "./progress";

export type Pointed = { node: number } | { edge: number } | null;

interface Props {
  scene: Scene;
  layout: Layout;
  standing: Standing;
  showGradients: boolean;
  largest: number;
  pointed: Pointed;
  onPoint: (pointed: Pointed) => void;
  onChoose?: ((index: number) => void) | undefined;
  /** Names of nodes with a question mark in the place of their gradient. */
  asked?: string[] | undefined;
  chosen?: string[] | undefined;
  label: string;
}

export function shown(x: Summary | null | undefined, digits = 4): string {
  if (isArray(x ?? undefined)) return `array ${(x as { shape: number[] }).shape.join("×")}`;
  return typeof x === "string" && !/^(-?Infinity|NaN)$/.test(x) ? x : written(x as number, digits);
}

/** A node in words, for who hears the page. */
function spoken(node: Node, grad: Summary | null, known: boolean): string {
  const made = node.formula ? `${node.name} = ${node.formula}` : `${node.name}, given`;
  return `${made}; value ${known ? shown(node.data) : "not computed yet"}${grad === null ? "" : `, gradient ${shown(grad)}`}`;
}

/** The backward step along an edge. */
export function stepOf(scene: Scene, edge: Edge): Step | undefined {
  return scene.steps.find((step) => step.phase === "backward" && step.node === edge.to && step.operand === edge.operand);
}

/** How large a gradient is beside the largest one, from 0 to 1; 0 where that cannot be said. */
function share(x: Summary | null | undefined, largest: number): number {
  const size = x === null || isArray(x ?? undefined) ? 0 : Math.min(1, Math.abs(Number(x)) / largest);
  return Number.isFinite(size) ? size : 0;
}

export function Graph({ scene, layout, standing, showGradients, largest, pointed, onPoint, onChoose, asked, chosen, label }: Props) {
  const { step } = standing;
  const { width, height } = layout.box;
  const near = new Set<number>();
  if (pointed && "node" in pointed) {
    for (const edge of layout.edges) {
      if (edge.to === pointed.node) near.add(edge.from);
      if (edge.from === pointed.node) near.add(edge.to);
    }
  }
  const locals: { x: number; y: number; text: string }[] = [];
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
          const isPointed = pointed !== null && "edge" in pointed && pointed.edge === i;
          const hasFlowed = showGradients && taken !== undefined && standing.grads[edge.to] !== null && !isArray(taken.contribution);
          if ((isBackward || isPointed) && taken?.local !== null && taken?.local !== undefined) locals.push({ ...edge.middle, text: `×${written(taken.local, 3)}` });
          return (
            <Curve
              key={`${edge.from}.${edge.to}.${edge.operand}`}
              index={i}
              path={edge.path}
              classes={`edge ${isForward ? "lit" : isBackward ? "back" : isPointed ? "pointed" : ""}`}
              flow={hasFlowed ? `${(1 + 7 * Math.sqrt(share(taken.contribution, largest))).toFixed(1)}px` : ""}
              flowSign={hasFlowed ? signOf(taken.contribution as number) : ""}
              onPoint={onPoint}
            />
          );
        })}
      </g>
      {scene.nodes.map((node) => {
        const { x, y } = layout.boxes[node.index]!;
        const known = standing.known[node.index]!;
        const grad = standing.grads[node.index] ?? null;
        const isAsked = asked?.includes(node.name) ?? false;
        const isPointed = pointed !== null && "node" in pointed && pointed.node === node.index;
        const isBackward = step?.phase === "backward";
        const classes = [
          "node",
          node.operands.length ? "made" : "leaf",
          node.index === scene.root ? "root" : "",
          known ? "" : "waiting",
          step !== null && !isBackward && step.node === node.index ? "lit" : "",
          isBackward && step.node === node.index ? "giver" : "",
          isBackward && step.parent === node.index ? "back" : "",
          isAsked ? "asked" : "",
          chosen?.includes(node.name) ? "chosen" : "",
          isPointed ? "pointed" : near.has(node.index) ? "near" : "",
        ];
        const size = isAsked ? 0 : share(grad, largest);
        return (
          <Box
            key={node.index}
            index={node.index}
            name={node.name}
            formula={node.formula}
            sign={node.op && node.sign}
            x={x}
            y={y}
            width={width}
            height={height}
            classes={classes.filter(Boolean).join(" ")}
            spoken={spoken(node, showGradients && !isAsked ? grad : null, known)}
            data={known ? shown(node.data) : "·"}
            grad={!showGradients ? null : isAsked ? "?" : grad === null ? "·" : shown(grad)}
            gradientSign={grad === null || isAsked || isArray(grad) ? "" : signOf(grad as number)}
            bar={size > 0 ? Math.round(Math.max(2, size * (width - 4))) : 0}
            onPoint={onPoint}
            onChoose={onChoose}
          />
        );
      })}
      {locals.map((local) => (
        <Local key={`${local.x},${local.y}`} {...local} />
      ))}
    </svg>
  );
}
