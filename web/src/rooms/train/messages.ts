// Generated from adjoint_lab.protocol.train by `make web`; do not edit.
import type { Wire } from "../../shared/numbers";
import type { Architecture, LayerValues } from "../../shared/plane/network";

/** The settings at the start of a training run. */
export interface Configuration {
  dataset: string;
  samples: number;
  noise: number;
  classes: number;
  held_out: number;
  seed: number;
  hidden: number[];
  activation: string;
  output: string;
  init: string;
  loss: string;
  optimizer: string;
  lr: number;
  l2: number;
  batch_size: number | null;
  engine: string;
  rows: number[][];
  labels: string[];
  points: [number, number, number][];
}

/** The losses for two classes, and for more. */
export interface Losses {
  two: string[];
  more: string[];
}

/** The largest allowed numbers. */
export interface Limits {
  samples: number;
  layers: number;
  neurons: number;
  classes: number;
  steps: number;
}

/** What the settings offer. */
export interface Choices {
  presets: Configuration[];
  thumbnails: Record<string, [number, number, number][]>;
  activations: string[];
  outputs: string[];
  initializations: string[];
  losses: Losses;
  optimizers: string[];
  engines: string[];
  missing_engine: string;
  paces: string[];
  most: Limits;
}

/** A change during a run: the learning rate, the L2 penalty, the engine, an added point, or the last one removed. */
export interface Change {
  step: number;
  lr?: number;
  l2?: number;
  add?: [number, number, number];
  undo?: boolean;
  engine?: string;
}

/** A sample: its inputs, its class, its target for the loss, and whether it is a test sample. */
export interface Sample {
  inputs: number[];
  label: number;
  target: number;
  is_test: boolean;
}

/** What does not change from step to step. */
export interface State {
  run: number;
  configuration: Configuration;
  changes: Change[];
  lr: number;
  l2: number;
  engine: string;
  step: number;
  playing: boolean;
  pace: string;
  sizes: number[];
  network: Architecture;
  parameters: number;
  steps_in_epoch: number;
  low: [number, number];
  high: [number, number];
  samples: Sample[];
  labels: string[];
  cases: number;
  is_plane: boolean;
  is_probability: boolean;
}

/** A metric on the training samples and on the test samples. */
export interface Parts {
  train: Wire;
  test: Wire;
}

/** Loss and accuracy. */
export interface Metrics {
  loss: Parts;
  accuracy: Parts;
}

/** The steps per second of an engine, and how many seconds it compiled before. */
export interface Speed {
  rate: number;
  compile_seconds: number;
}

/** Everything that a page draws of one moment. */
export interface Snapshot {
  loss: Parts;
  accuracy: Parts;
  run: number;
  step: number;
  epoch: number;
  playing: boolean;
  restoring: boolean;
  rate: number | null;
  compile_seconds: number;
  rates: Record<string, Speed | null> | null;
  weights: LayerValues[];
  gradients: LayerValues[];
  gradient_norms: Wire[];
  warnings: string[];
  stopped: string;
}

/** Loss and accuracy at some of the steps. */
export interface CurvesEvent {
  run: number;
  steps: number[];
  train_loss: Wire[];
  test_loss: Wire[];
  train_accuracy: Wire[];
  test_accuracy: Wire[];
}
