// Details of the node or edge under the pointer: value, gradient, derivatives and neighbors, as far as they are known at
// the current step of the player.
import type { ComponentChildren } from "preact";
import { Formula } from "../shared/math";
import { formatNumber } from "../shared/numbers";
import { formatSummary } from "./figures";
import type { Edge, Layout } from "./layout";
import { memo } from "./memo";
import { type Hovered, isArray, type Node, type Scene, type Step, type Summary, stepOf } from "./model";
import type { Progress } from "./progress";

const HINT =
  "Point at a node to see its value, gradient, derivatives and neighbors, or at an edge to see its local derivative.";

interface Props {
  scene: Scene;
  layout: Layout;
  progress: Progress;
  hovered: Hovered;
  showGradients: boolean;
}

export const Details = memo(({ scene, layout, progress, hovered, showGradients }: Props) => {
  const node = hovered && "node" in hovered ? scene.nodes[hovered.node] : undefined;
  const edge = hovered && "edge" in hovered ? layout.edges[hovered.edge] : undefined;
  if (node)
    return <NodeDetails scene={scene} layout={layout} progress={progress} node={node} showGradients={showGradients} />;
  if (edge) return <EdgeDetails scene={scene} progress={progress} edge={edge} showGradients={showGradients} />;
  return <p class="details soft small">{HINT}</p>;
});

function NodeDetails({ scene, layout, progress, node, showGradients }: Omit<Props, "hovered"> & { node: Node }) {
  const isKnown = progress.known[node.index] ?? false;
  const backwardSteps = scene.steps.filter(
    (step) => step.phase === "backward" && step.node === node.index && step.derivative,
  );
  const namesOf = (indices: number[]) => [...new Set(indices)].map((i) => scene.nodes[i]!.name).join(", ") || "none";
  return (
    <div class="details" data-testid="details">
      <h3>{node.name}</h3>
      <dl>
        <Row title="value">
          <Quantity of={isKnown ? node.data : null} />
        </Row>
        {showGradients && (
          <Row title="gradient">
            <Quantity of={progress.grads[node.index] ?? null} />
          </Row>
        )}
        <Row title="computed as" long>
          {!node.formula ? (
            "input"
          ) : isKnown && node.math ? (
            <Formula of={node.math} label={node.formula} />
          ) : (
            <code>{node.formula}</code>
          )}
        </Row>
        {backwardSteps.map((step) => (
          <Row key={step.operand} title="derivative" long>
            <Derivative of={node} by={scene.nodes[step.parent!]!} step={step} />
          </Row>
        ))}
        <Row title="operands">
          {namesOf(layout.edges.filter((edge) => edge.to === node.index).map((edge) => edge.from))}
        </Row>
        <Row title="used by">
          {namesOf(layout.edges.filter((edge) => edge.from === node.index).map((edge) => edge.to))}
        </Row>
      </dl>
    </div>
  );
}

function EdgeDetails({ scene, progress, edge, showGradients }: Omit<Props, "layout" | "hovered"> & { edge: Edge }) {
  const step = stepOf(scene, edge);
  const [child, parent] = [scene.nodes[edge.to]!, scene.nodes[edge.from]!];
  const isReached = progress.grads[edge.to] !== null;
  return (
    <div class="details" data-testid="details">
      <h3>
        {parent.name} → {child.name}
      </h3>
      <dl>
        {step && (
          <Row title="local derivative" long>
            <Derivative of={child} by={parent} step={step} />
            {step.local !== null && step.local !== undefined && (
              <span class="number"> = {formatNumber(step.local, 6)}</span>
            )}
          </Row>
        )}
        {step && showGradients && (
          <>
            <Row title="incoming gradient" long>
              <Quantity of={isReached ? (step.incoming ?? null) : null} />
            </Row>
            <Row title={`contribution to ${parent.name}`} long>
              <Quantity of={isReached ? (step.contribution ?? null) : null} />
            </Row>
          </>
        )}
      </dl>
    </div>
  );
}

/** A title and its content; long content takes the whole width. */
function Row({ title, long = false, children }: { title: string; long?: boolean; children: ComponentChildren }) {
  return (
    <>
      <dt>{title}</dt>
      <dd class={long ? "long" : ""}>{children}</dd>
    </>
  );
}

function Derivative({ of, by, step }: { of: Node; by: Node; step: Step }) {
  return (
    <>
      <span class="soft">
        ∂{of.name}/∂{by.name} ={" "}
      </span>
      {step.derivative && <Formula of={step.derivative} />}
    </>
  );
}

function Quantity({ of }: { of: Summary | null }) {
  if (of === null) return <span class="soft">not computed yet</span>;
  if (!isArray(of)) return <span class="number">{formatSummary(of, 6)}</span>;
  return (
    <span class="number">
      {of.shape.join("×")} {of.dtype}, {formatNumber(of.min, 3)} … {formatNumber(of.max, 3)}, mean{" "}
      {formatNumber(of.mean, 3)}
    </span>
  );
}
