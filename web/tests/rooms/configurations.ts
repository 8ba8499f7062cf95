// A state of the room Train, as the server sends it.
import type { Choices, Configuration, State } from "../../src/rooms/train/messages";

export const xor: Configuration = {
  dataset: "xor",
  samples: 4,
  noise: 0,
  classes: 2,
  held_out: 0,
  seed: 0,
  hidden: [4],
  activation: "tanh",
  output: "linear",
  init: "scaled",
  loss: "hinge",
  optimizer: "sgd",
  lr: 0.1,
  l2: 0,
  batch_size: null,
  engine: "scalar",
  rows: [],
  labels: [],
  points: [],
};

export const choices: Choices = {
  presets: [xor, { ...xor, dataset: "blobs", classes: 3, loss: "cross_entropy" }],
  thumbnails: {},
  activations: ["tanh", "relu"],
  outputs: ["linear", "tanh"],
  initializations: ["scaled", "uniform"],
  losses: { two: ["hinge", "mse"], more: ["cross_entropy"] },
  optimizers: ["sgd", "adam"],
  engines: ["scalar", "compiled", "array"],
  missing_engine: "",
  paces: ["slow", "full"],
  most: { samples: 500, layers: 6, neurons: 16, classes: 8, steps: 10000 },
};

export function stateWith(configuration: Partial<Configuration> = {}, fields: Partial<State> = {}): State {
  const full = { ...xor, ...configuration };
  return {
    run: 1,
    configuration: full,
    changes: [],
    lr: full.lr,
    l2: full.l2,
    engine: full.engine,
    step: 0,
    playing: false,
    pace: "full",
    sizes: [2, ...full.hidden, 1],
    network: { activations: [...full.hidden.map(() => full.activation), full.output], mean: [0, 0], spread: [1, 1] },
    parameters: 17,
    steps_in_epoch: 1,
    low: [-1, -1],
    high: [2, 2],
    samples: [
      { inputs: [0, 0], label: 0, target: -1, is_test: false },
      { inputs: [0, 1], label: 1, target: 1, is_test: false },
    ],
    labels: ["0", "1"],
    cases: 2,
    is_plane: true,
    is_probability: false,
    ...fields,
  };
}
