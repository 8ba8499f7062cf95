// The messages of the room Train.
import type { Wire } from "../../shared/numbers";
import type { Sample } from "../../shared/plane/Plane";

export interface Configuration {
  dataset: string;
  samples: number;
  noise: number;
  classes: number;
  held_out: number;
  seed: number;
  hidden: number[];
  activation: string;
  loss: string;
  optimizer: string;
  lr: number;
  l2: number;
  batch_size: number | null;
  engine: string;
  rows: [number, number, number][];
  labels: string[];
  points: [number, number, number][];
}

export interface Choices {
  presets: Configuration[];
  thumbnails: Record<string, [number, number, number][]>;
  activations: string[];
  losses: { two: string[]; more: string[] };
  optimizers: string[];
  engines: string[];
  paces: string[];
  most: { samples: number; layers: number; neurons: number; classes: number; steps: number };
}

/** What does not change from step to step. */
export interface State {
  run: number;
  configuration: Configuration;
  changes: Record<string, unknown>[];
  lr: number;
  l2: number;
  step: number;
  playing: boolean;
  pace: string;
  sizes: number[];
  parameters: number;
  steps_in_epoch: number;
  low: [number, number];
  high: [number, number];
  samples: Sample[];
  labels: string[];
  tile: number;
}

export interface Layer {
  w: Wire[][];
  b: Wire[];
}

export interface Focus {
  layer: number;
  neuron: number;
  size: number;
  map: string;
  min: Wire;
  max: Wire;
}

export interface Parts {
  train: Wire;
  test: Wire;
}

export type Rates = Record<string, number | null>;

/** Everything that is drawn for one step. */
export interface Snapshot {
  run: number;
  step: number;
  epoch: number;
  playing: boolean;
  restoring: boolean;
  loss: Parts;
  accuracy: Parts;
  rate: number | null;
  rates: Rates | null;
  weights: Layer[];
  gradients: Layer[];
  gradient_norms: Wire[];
  size: number;
  boundary: string;
  tiles: string[][];
  focus: Focus | null;
  warnings: string[];
  stopped: string;
}

export interface CurvesEvent {
  run: number;
  steps: number[];
  train_loss: Wire[];
  test_loss: Wire[];
  train_accuracy: Wire[];
  test_accuracy: Wire[];
}

export interface Probe {
  x1: number;
  x2: number;
  layers: Wire[][];
  class: number;
}
