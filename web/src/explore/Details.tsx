// What the graph says of the node or the edge that somebody points at: value, gradient, rule and neighbours.
import { Formula } from "../math";
import { written } from "../numbers";
import { type Pointed, shown, stepOf } from "./Graph";
import type { Layout } from "./layout";
import { isArray, type Node, type Scene, type Summary } from "./model";

function Quantity({ of }: { of: Summary | null }) {
  if (of === null) return <span class="soft">not known yet</span>;
  if (!isArray(of)) return <span class="number">{shown(of, 6)}</span>;
  return (
    <span class="number">
      {of.shape.join("×")} {of.dtype}, {written(of.min, 3)} … {written(of.max, 3)}, mean {written(of.mean, 3)}
    </span>
  );
}

export function Details({ scene, layout, pointed }: { scene: Scene; layout: Layout; pointed: Pointed }) {
  if (pointed === null) return <p class="details soft small">Point at a node for its value, gradient, rule and neighbours; at an edge for its local derivative.</p>;
  if ("edge" in pointed) {
    const edge = layout.edges[pointed.edge];
    const step = edge && stepOf(scene, edge);
    if (!edge || !step) return null;
    const [child, parent] = [scene.nodes[edge.to]!, scene.nodes[edge.from]!];
    return (
      <div class="details" data-testid="details">
        <h3>
          {parent.name} → {child.name}
        </h3>
        <dl>
          <dt>local derivative</dt>
          <dd>
            <span class="soft">
              ∂{child.name}/∂{parent.name} ={" "}
            </span>
            {step.derivative && <Formula of={step.derivative} />}
            {step.local !== null && step.local !== undefined && <span class="number"> = {written(step.local, 6)}</span>}
          </dd>
          <dt>gradient that arrives</dt>
          <dd>
            <Quantity of={step.incoming ?? null} />
          </dd>
          <dt>what {parent.name} receives</dt>
          <dd>
            <Quantity of={step.contribution ?? null} />
          </dd>
        </dl>
      </div>
    );
  }
  const node = scene.nodes[pointed.node];
  if (!node) return null;
  const rules = scene.steps.filter((step) => step.phase === "backward" && step.node === node.index && step.derivative);
  return (
    <div class="details" data-testid="details">
      <h3>{node.name}</h3>
      <dl>
        <dt>value</dt>
        <dd>
          <Quantity of={node.data} />
        </dd>
        <dt>gradient</dt>
        <dd>
          <Quantity of={node.grad} />
        </dd>
        <dt>made by</dt>
        <dd>{node.formula ? <Formula of={node.math} label={node.formula} /> : "given"}</dd>
        {rules.map((step) => (
          <Rule key={step.operand} node={node} parent={scene.nodes[step.parent!]!} step={step} />
        ))}
        <dt>made from</dt>
        <dd>{names(scene, layout.edges.filter((edge) => edge.to === node.index).map((edge) => edge.from))}</dd>
        <dt>used by</dt>
        <dd>{names(scene, layout.edges.filter((edge) => edge.from === node.index).map((edge) => edge.to))}</dd>
      </dl>
    </div>
  );
}

function Rule({ node, parent, step }: { node: Node; parent: Node; step: Scene["steps"][number] }) {
  return (
    <>
      <dt>rule</dt>
      <dd>
        <span class="soft">
          ∂{node.name}/∂{parent.name} ={" "}
        </span>
        <Formula of={step.derivative!} />
      </dd>
    </>
  );
}

function names(scene: Scene, indices: number[]): string {
  return [...new Set(indices)].map((i) => scene.nodes[i]!.name).join(", ") || "nothing";
}
