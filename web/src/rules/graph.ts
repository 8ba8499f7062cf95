// Evaluate the graph of a scene with other numbers for its inputs: the values, the gradients and the backward steps.
import type { Scene } from "../explore/model";
import { toNumber, toWire, type Wire } from "../shared/numbers";
import { TABLE } from "./table";

/** The numbers of all nodes and backward steps of a scene, in the order of the scene. */
export interface GraphNumbers {
  nodes: [data: Wire, grad: Wire][];
  steps: [local: Wire, incoming: Wire, contribution: Wire, before: Wire, after: Wire][];
}

/**
 * Compute a graph with these numbers for its inputs; other leaves keep theirs. The steps and their order are those of the
 * engine, so sums have the same terms in the same order. Returns undefined for a graph that the rules cannot compute.
 */
export function evaluate(scene: Scene, numbers: Record<string, number>): GraphNumbers | undefined {
  if (!scene.computable) return undefined;
  const values: number[] = [];
  const operands = scene.nodes.map((node) => {
    const xs = node.operands.map((x) => ("node" in x ? values[x.node]! : Number(x.constant)));
    const isMoved = scene.inputs.includes(node.name) && Object.hasOwn(numbers, node.name);
    if (xs.length) values.push(TABLE[node.op]!.forward(xs[0]!, xs[1]!));
    else values.push(isMoved ? numbers[node.name]! : toNumber(node.data as Wire));
    return xs;
  });
  const grads = values.map((_, i) => Number(i === scene.root));
  const steps = scene.steps.flatMap(({ phase, node, operand, parent }) => {
    if (phase !== "backward") return [];
    const [xs, incoming, before] = [operands[node]!, grads[node]!, grads[parent!]!];
    const local = TABLE[scene.nodes[node]!.op]!.partials[operand!]!(values[node]!, xs[0]!, xs[1]!);
    const contribution = local * incoming;
    const after = before + contribution;
    grads[parent!] = after;
    return [[local, incoming, contribution, before, after].map(toWire) as GraphNumbers["steps"][number]];
  });
  return { nodes: values.map((value, i) => [toWire(value), toWire(grads[i]!)]), steps };
}
