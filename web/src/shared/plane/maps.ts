// Maps of a network over the plane: the prediction at every point and the response of each neuron, as bytes to color.
import { classBytes, signedBytes } from "./heat";
import { type Architecture, type LayerValues, layerOutputs, type Outputs } from "./network";
import type { Bounds } from "./Plane";

export const TILE = 24; // rows and columns of the small map of a neuron
export const PLAYING = 72; // rows and columns of a large map during training: a multiple of TILE
export const PAUSED = 144; // and after it

/** The points of a grid around the samples, row by row from the top: the middles of size × size cells. */
export function gridOf({ low, high }: Bounds, size: number): [Float64Array, Float64Array] {
  const [x1, x2] = [new Float64Array(size * size), new Float64Array(size * size)];
  for (let p = 0; p < x1.length; p++) {
    x1[p] = low[0] + (high[0] - low[0]) * (((p % size) + 0.5) / size);
    x2[p] = high[1] + (low[1] - high[1]) * ((Math.floor(p / size) + 0.5) / size);
  }
  return [x1, x2];
}

/** The maps of one network at one moment. */
export class Maps {
  #boundary: Uint8Array | undefined;
  #tiles: Uint8Array[][] | undefined;

  constructor(
    readonly size: number,
    private readonly outputs: Outputs,
  ) {}

  /** The prediction: the map of a single score, or the class and its confidence. */
  get boundary(): Uint8Array {
    const scores = this.outputs.at(-1)!;
    this.#boundary ??= this.isSigned ? signedBytes(scores[0]!) : classBytes(scores);
    return this.#boundary;
  }

  /** Whether the prediction is a single score. */
  get isSigned(): boolean {
    return this.outputs.at(-1)!.length === 1;
  }

  /** The small maps of all neurons, layer by layer, starting with the inputs. */
  get tiles(): Uint8Array[][] {
    this.#tiles ??= this.outputs.map((layer) => layer.map((response) => signedBytes(this.#thin(response))));
    return this.#tiles;
  }

  /** The response of a neuron as a large map, and its bounds, which are NaN if one of the numbers is. */
  neuron(layer: number, i: number): { bytes: Uint8Array; min: number; max: number } | null {
    const response = this.outputs[layer]?.[i];
    if (!response) return null;
    let [min, max] = [Infinity, -Infinity];
    for (const x of response) {
      min = Math.min(min, x);
      max = Math.max(max, x);
    }
    return { bytes: signedBytes(response), min, max };
  }

  /** Every few rows and columns of a response. */
  #thin(response: Float64Array): Float64Array {
    const every = this.size / TILE;
    const first = Math.floor(every / 2);
    const thin = new Float64Array(TILE * TILE);
    for (let p = 0; p < thin.length; p++) {
      const [row, column] = [Math.floor(p / TILE), p % TILE];
      thin[p] = response[(first + every * row) * this.size + first + every * column]!;
    }
    return thin;
  }
}

/** Computes the maps of one network again and again. Its memory is used again, so only the latest maps are valid. */
export class Mapper {
  #points: Float64Array[] = [];
  #outputs: Outputs = [];
  #key = "";

  at(architecture: Architecture, weights: LayerValues[], bounds: Bounds, size: number): Maps {
    const key = `${bounds.low} ${bounds.high} ${size}`;
    if (key !== this.#key) this.#points = gridOf(bounds, size);
    this.#key = key;
    this.#outputs = layerOutputs(architecture, weights, this.#points, this.#outputs);
    return new Maps(size, this.#outputs);
  }
}
