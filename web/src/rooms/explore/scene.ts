// Update a scene with the numbers that arrive while a slider moves.
import type { Scene } from "../../explore/model";
import type { MathElement } from "../../shared/math";
import type { Wire } from "../../shared/numbers";

/** The answer to "move": the numbers of all nodes and backward steps, and the text of the current step. */
export interface Numbers {
  nodes: [data: Wire, grad: Wire][];
  steps: [local: Wire, incoming: Wire, contribution: Wire, before: Wire, after: Wire][];
  explanation: { text?: string; math?: MathElement };
}

/** The scene with other numbers. Only the current step keeps its text: that of the others would be outdated. */
export function withNumbers(scene: Scene, { nodes, steps, explanation }: Numbers, at: number | null): Scene {
  const current = Math.min(at ?? scene.steps.length, scene.steps.length) - 1;
  const firstBackward = scene.steps.length - steps.length;
  return {
    ...scene,
    nodes: scene.nodes.map((node, i) => ({ ...node, data: nodes[i]![0], grad: nodes[i]![1], math: undefined })),
    steps: scene.steps.map(({ text: _, math: __, ...step }, i) => {
      const currentText = { text: explanation.text ?? "", ...(explanation.math ? { math: explanation.math } : {}) };
      const next = { ...step, ...(i === current ? currentText : { text: "" }) };
      if (i < firstBackward) return next;
      const [local, incoming, contribution, before, after] = steps[i - firstBackward]!;
      return { ...next, local, incoming, contribution, before, after };
    }),
  };
}
