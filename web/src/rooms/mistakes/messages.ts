// Generated from adjoint_lab.protocol.mistakes by `make web`; do not edit.
import type { Wire } from "../../shared/numbers";
import type { Architecture, LayerValues } from "../../shared/plane/network";
import type { Sample } from "../../shared/plane/Plane";

/** A mistake: the wrong line, the correct line, and what happens. */
export interface Mistake {
  name: string;
  title: string;
  wrong: string;
  right: string;
  explanation: string;
  is_in_step: boolean;
}

/** The networks of both training runs. */
export interface Networks {
  healthy: Architecture;
  broken: Architecture;
}

/** What does not change from step to step. */
export interface State {
  run: number;
  mistake: string;
  seed: number;
  on: boolean;
  playing: boolean;
  most: number;
  networks: Networks;
  low: [number, number];
  high: [number, number];
  samples: Sample[];
}

/** One of the two training runs. */
export interface RunSummary {
  step: number;
  loss: Wire;
  accuracy: Wire;
  gradient_norms: Wire[];
  weights: LayerValues[];
  stopped: string;
}

/** The loss of one training run. */
export interface LossCurve {
  steps: number[];
  loss: Wire[];
}

/** The loss of both training runs. */
export interface LossCurves {
  healthy: LossCurve;
  broken: LossCurve;
}

/** The warning of a guard, or the result of a check that finds the mistake. */
export interface Detection {
  by: string;
  text: string;
  is_guard: boolean;
}

/** Everything that a page draws of one moment. */
export interface Snapshot {
  run: number;
  step: number;
  playing: boolean;
  on: boolean;
  healthy: RunSummary;
  broken: RunSummary;
  curves: LossCurves;
  story: string;
  finding: Detection | null;
}
