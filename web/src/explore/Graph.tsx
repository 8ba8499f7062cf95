// The graph: a box for each node and a curve for each operand. The current step is highlighted; nodes that are not computed
// yet are faded.
import { useMemo } from "preact/hooks";
import { formatNumber } from "../shared/numbers";
import { Box, Curve, Local } from "./Boxes";
import { useFigures } from "./figures";
import { type Edge, type Layout, SMALLEST } from "./layout";
import { memo } from "./memo";
import { type Hovered, type Scene, type Step, stepOf } from "./model";
import type { Progress } from "./progress";

interface Props {
  scene: Scene;
  layout: Layout;
  progress: Progress;
  showGradients: boolean;
  hovered: Hovered;
  onHover: (hovered: Hovered) => void;
  onSelect?: ((index: number) => void) | undefined;
  /** Names of nodes that show a question mark instead of their gradient. */
  questions?: string[] | undefined;
  selection?: string[] | undefined;
  label: string;
  /** The smallest scale; a graph that is still too wide scrolls. */
  smallest?: number;
}

/** Identifies what a step highlights, independent of its numbers. */
function highlightKey(step: Step | null): string {
  return step === null ? "" : `${step.phase}.${step.node}.${step.operand ?? ""}`;
}

export const Graph = memo((props: Props) => {
  const { scene, layout, progress, showGradients, hovered, onHover, onSelect, questions, selection, label } = props;
  const figures = useFigures(scene, layout, { progress, showGradients, questions });
  const names = scene.nodes.map((node) => node.name).join();
  const isKnown = progress.known.join();
  // While only numbers change, this stays: the numbers arrive through the signals in `figures`.
  const drawing = useMemo(
    () => (
      <>
        <g>
          {layout.edges.map((edge, i) => (
            <Curve
              key={`${edge.from}.${edge.to}.${edge.operand}`}
              index={i}
              path={edge.path}
              classes={`edge ${edgeState(edge, i, progress.step, hovered)}`}
              figures={figures.curves[i]!}
              showGradient={showGradients}
              onHover={onHover}
            />
          ))}
        </g>
        {scene.nodes.map((node) => (
          <Box
            key={node.index}
            index={node.index}
            name={node.name}
            formula={node.formula}
            sign={node.op && node.sign}
            x={layout.boxes[node.index]!.x}
            y={layout.boxes[node.index]!.y}
            width={layout.box.width}
            height={layout.box.height}
            classes={`node ${nodeStates(node.index, props).filter(Boolean).join(" ")}`}
            figures={figures.boxes[node.index]!}
            showGradient={showGradients}
            onHover={onHover}
            onSelect={onSelect}
          />
        ))}
      </>
    ),
    [
      layout,
      figures,
      names,
      isKnown,
      highlightKey(progress.step),
      hovered,
      showGradients,
      onHover,
      onSelect,
      questions,
      selection,
    ],
  );
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${layout.width} ${layout.height}`}
      style={{ minWidth: `${(props.smallest ?? SMALLEST) * layout.width}px`, maxWidth: `${layout.width * 1.15}px` }}
      role="group"
      aria-label={label}
      onPointerLeave={() => onHover(null)}
    >
      {drawing}
      {layout.edges.map((edge, i) => {
        const state = edgeState(edge, i, progress.step, hovered);
        const local = state === "back" || state === "pointed" ? stepOf(scene, edge)?.local : null;
        return (
          local !== null &&
          local !== undefined && <Local key={i} text={`×${formatNumber(local, 3)}`} {...edge.middle} />
        );
      })}
    </svg>
  );
});

function edgeState(edge: Edge, index: number, step: Step | null, hovered: Hovered): string {
  if (step?.phase === "forward" && step.node === edge.to) return "lit";
  if (step?.phase === "backward" && step.node === edge.to && step.operand === edge.operand) return "back";
  return hovered !== null && "edge" in hovered && hovered.edge === index ? "pointed" : "";
}

function nodeStates(
  index: number,
  { scene, layout, progress: { known, step }, hovered, questions, selection }: Props,
): string[] {
  const node = scene.nodes[index]!;
  const isBackward = step?.phase === "backward";
  const at = hovered !== null && "node" in hovered ? hovered.node : null;
  const isNear =
    at !== null && layout.edges.some(({ from, to }) => (from === at && to === index) || (to === at && from === index));
  return [
    node.operands.length ? "made" : "leaf",
    index === scene.root ? "root" : "",
    known[index] ? "" : "waiting",
    step !== null && !isBackward && step.node === index ? "lit" : "",
    isBackward && step.node === index ? "giver" : "",
    isBackward && step.parent === index ? "back" : "",
    questions?.includes(node.name) ? "asked" : "",
    selection?.includes(node.name) ? "chosen" : "",
    at === index ? "pointed" : isNear ? "near" : "",
  ];
}
