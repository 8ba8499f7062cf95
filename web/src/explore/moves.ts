// Move the inputs of a scene: the page computes the numbers with the rules, and the engine confirms them with the texts.
import { evaluate, type GraphNumbers } from "../rules/graph";
import type { MathElement } from "../shared/math";
import type { Scene } from "./model";

/** The engine's answer to "move": the numbers of the graph, and the text of the current step. */
export interface Numbers extends GraphNumbers {
  explanation: { text?: string; math?: MathElement };
}

/**
 * The scene with other numbers. Only the current step has a text, that of the engine's answer: the others would be
 * outdated. Without an answer, it keeps the outdated text, and the scene says so.
 */
export function withNumbers(scene: Scene, numbers: GraphNumbers & Partial<Numbers>, at: number | null): Scene {
  const { nodes, steps, explanation } = numbers;
  const current = Math.min(at ?? scene.steps.length, scene.steps.length) - 1;
  const firstBackward = scene.steps.length - steps.length;
  return {
    ...scene,
    isOutdated: explanation === undefined,
    nodes: scene.nodes.map((node, i) => ({ ...node, data: nodes[i]![0], grad: nodes[i]![1], math: undefined })),
    steps: scene.steps.map(({ text: oldText, math: oldMath, ...step }, i) => {
      const { text = "", math } = explanation ?? { text: oldText, math: oldMath };
      const next = { ...step, ...(i === current ? { text, ...(math ? { math } : {}) } : { text: "" }) };
      if (i < firstBackward) return next;
      const [local, incoming, contribution, before, after] = steps[i - firstBackward]!;
      return { ...next, local, incoming, contribution, before, after };
    }),
  };
}

/** The scene with these numbers for its inputs, computed in the page; the scene itself if it has them, or cannot be. */
export function moveScene(scene: Scene, numbers: Record<string, number>, at: number | null): Scene {
  const isMoved = (name: string) => {
    const leaf = scene.nodes.find((node) => node.name === name);
    return leaf !== undefined && Object.hasOwn(numbers, name) && leaf.data !== numbers[name];
  };
  const found = scene.inputs.some(isMoved) ? evaluate(scene, numbers) : undefined;
  return found ? withNumbers(scene, found, at) : scene;
}
