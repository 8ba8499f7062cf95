// Where the player stands in the steps of a scene: what has been computed, and which gradient each node has by then.
import type { Scene, Step, Summary } from "./model";

/** How fast a player can go. */
export const SPEEDS = [0.5, 1, 2, 4];

export interface Progress {
  /** Whether a node has its value. */
  known: boolean[];
  /** The gradient that a node has by now; null while no step has reached it. */
  grads: (Summary | null)[];
  /** The edges along which a gradient has gone back, as "node.operand". */
  flows: Set<string>;
  /** The step that was just taken. */
  step: Step | null;
}

/** What is known after the first `at` steps. */
export function progressAt(scene: Scene, at: number): Progress {
  const known = scene.nodes.map((node) => node.operands.length === 0);
  // Where nothing is computed there is nothing to wait for: the gradient of a value by itself.
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

/** In words where the player stands: "forward 3 of 8", "backward 2 of 12". */
export function describeStep(forward: number, last: number, at: number): string {
  if (last === 0) return "nothing to compute";
  if (at === 0) return `${last} steps`;
  return at <= forward ? `forward ${at} of ${forward}` : `backward ${at - forward} of ${last - forward}`;
}
