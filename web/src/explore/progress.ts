// The progress of the player: which values and gradients are known after a number of steps.
import type { Scene, Step, Summary } from "./model";

/** The speeds of the player. */
export const SPEEDS = [0.5, 1, 2, 4];

export interface Progress {
  /** Whether the value of a node has been computed. */
  known: boolean[];
  /** The gradient that a node has accumulated; null until a step has reached it. */
  grads: (Summary | null)[];
  /** The edges that the backward pass has followed, as "node.operand". */
  flows: Set<string>;
  /** The latest step. */
  step: Step | null;
}

/** The progress after the first `at` steps. */
export function progressAt(scene: Scene, at: number): Progress {
  const known = scene.nodes.map((node) => node.operands.length === 0);
  // A scene without steps is a single value, whose gradient is known from the start.
  const grads: (Summary | null)[] = scene.nodes.map((node) => (scene.steps.length ? null : node.grad));
  const flows = new Set<string>();
  for (const step of scene.steps.slice(0, at)) {
    if (step.phase === "forward") known[step.node] = true;
    else if (step.phase === "seed") grads[step.node] = scene.nodes[step.node]!.grad;
    else if (step.phase === "backward") {
      grads[step.parent!] = step.after!;
      flows.add(`${step.node}.${step.operand}`);
    } else grads[step.node] = step.after!;
  }
  return { known, grads, flows, step: at > 0 ? (scene.steps[at - 1] ?? null) : null };
}

/** Describe the position of the player: "forward 3 of 8", "backward 2 of 12". */
export function describeStep(forward: number, last: number, at: number): string {
  if (last === 0) return "nothing to compute";
  if (at === 0) return `${last} steps`;
  return at <= forward ? `forward ${at} of ${forward}` : `backward ${at - forward} of ${last - forward}`;
}
