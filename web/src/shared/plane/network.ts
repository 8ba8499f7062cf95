// The outputs of all layers of a network, computed from its weights. The engine computes the same numbers on the other
// side of the connection; tests compare them.
import { TABLE } from "../../rules/table";
import { toNumber, type Wire } from "../numbers";

/** What determines the outputs of a network besides its weights. */
export interface Architecture {
  /** The activation of each layer. */
  activations: string[];
  /** The scale of the inputs: the network gets (x - mean)/spread. */
  mean: number[];
  spread: number[];
}

/** The weights of one layer, or their gradients: a row of weights and a bias for each neuron. */
export interface LayerValues {
  w: Wire[][];
  b: Wire[];
}

/** The outputs of every neuron, layer by layer, with one number per point. The first layer is the inputs. */
export type Outputs = Float64Array[][];

/**
 * Compute the outputs of all layers at points, given as one array per coordinate. Arrays of earlier outputs of the same
 * shape are overwritten and used again.
 */
export function layerOutputs(
  { activations, mean, spread }: Architecture,
  weights: LayerValues[],
  points: Float64Array[],
  earlier: Outputs = [],
): Outputs {
  const count = points[0]!.length;
  const reuse = (layer: number, neuron: number): Float64Array => {
    const found = earlier[layer]?.[neuron];
    return found?.length === count ? found : new Float64Array(count);
  };
  const outputs = [
    points.map((from, i) => {
      const to = reuse(0, i);
      const [shift, scale] = [mean[i]!, spread[i]!];
      for (let p = 0; p < count; p++) to[p] = (from[p]! - shift) / scale;
      return to;
    }),
  ];
  weights.forEach(({ w, b }, k) => {
    const layer = w.map((row, i) => {
      const to = reuse(k + 1, i);
      addProducts(to.fill(toNumber(b[i])), row.map(toNumber), outputs[k]!);
      return to;
    });
    activate(activations[k]!, layer);
    outputs.push(layer);
  });
  return outputs;
}

/** Add w₁x₁ + w₂x₂ + … to a sum, in the order of the engine. Four products at a time read and write the sum once. */
function addProducts(sum: Float64Array, w: number[], x: Float64Array[]): void {
  const count = sum.length;
  let i = 0;
  for (; i + 4 <= w.length; i += 4) {
    const [w0, w1, w2, w3] = [w[i]!, w[i + 1]!, w[i + 2]!, w[i + 3]!];
    const [x0, x1, x2, x3] = [x[i]!, x[i + 1]!, x[i + 2]!, x[i + 3]!];
    for (let p = 0; p < count; p++) sum[p] = sum[p]! + w0 * x0[p]! + w1 * x1[p]! + w2 * x2[p]! + w3 * x3[p]!;
  }
  for (; i < w.length; i++) {
    const [wi, xi] = [w[i]!, x[i]!];
    for (let p = 0; p < count; p++) sum[p] = sum[p]! + wi * xi[p]!;
  }
}

function activate(name: string, layer: Float64Array[]): void {
  if (name === "linear") return;
  const { forward, defaults } = TABLE[name]!;
  const parameter = defaults[0]!; // such as the slope of leaky_relu; the others have none and ignore it
  for (const outputs of layer) {
    for (let p = 0; p < outputs.length; p++) outputs[p] = forward(outputs[p]!, parameter);
  }
}

/** The outputs at one of the points, layer by layer. */
export function atPoint(outputs: Outputs, p: number): number[][] {
  return outputs.map((layer) => layer.map((neuron) => neuron[p]!));
}

/** The class that the scores of a point predict. */
export function predictedClass(scores: number[]): number {
  if (scores.length === 1) return scores[0]! > 0 ? 1 : 0;
  return scores.reduce((best, score, i) => (score > scores[best]! ? i : best), 0);
}

/** The probability of each class; of class 1 alone if there is a single score. */
export function probabilities(scores: number[]): number[] {
  if (scores.length === 1) return [TABLE.sigmoid!.forward(scores[0]!, 0)];
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}
