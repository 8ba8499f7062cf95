// The geometry of the network diagram: where the neurons are, and the curves between them.
const HEAD = 40; // the height of the buttons above each layer
const GAP = 8;
const MIN_COLUMN = 62;
const MIN_HEIGHT = 300;
const REACH = 6; // how close to a curve the pointer must be, in pixels

export interface Point {
  x: number;
  y: number;
}

/** Where the neurons are: `columns[layer][neuron]` is the center of a square of the given side. */
export interface Plan {
  width: number;
  height: number;
  side: number;
  columns: Point[][];
}

/** The weight from a neuron of `layer` to one of the next layer. */
export interface Edge {
  layer: number;
  to: number;
  from: number;
}

export function planDiagram(sizes: number[], availableWidth: number): Plan {
  const largest = Math.max(...sizes);
  const side = largest > 12 ? 24 : largest > 8 ? 30 : largest > 5 ? 40 : 52;
  const width = Math.max(availableWidth, MIN_COLUMN * sizes.length);
  const height = HEAD + Math.max(MIN_HEIGHT, largest * (side + GAP)) + GAP;
  const distance = (width - side - 24) / Math.max(1, sizes.length - 1);
  const columns = sizes.map((count, k) => {
    const x = 12 + side / 2 + k * distance;
    const first = HEAD + (height - HEAD) / 2 - ((count - 1) * (side + GAP)) / 2;
    return Array.from({ length: count }, (_, i) => ({ x, y: first + i * (side + GAP) }));
  });
  return { width, height, side, columns };
}

/** Stroke the curve between two neurons, with the current style of the context. */
export function strokeEdge(context: CanvasRenderingContext2D, a: Point, b: Point, side: number): void {
  const [left, right] = [a.x + side / 2, b.x - side / 2];
  const middle = (left + right) / 2;
  context.beginPath();
  context.moveTo(left, a.y);
  context.bezierCurveTo(middle, a.y, middle, b.y, right, b.y);
  context.stroke();
}

/** The curve under the pointer, if one is close. */
export function nearestEdge({ columns, side }: Plan, x: number, y: number): Edge | null {
  let closest: Edge | null = null;
  let distance = REACH;
  for (let layer = 0; layer + 1 < columns.length; layer++) {
    const [left, right] = [columns[layer]![0]!.x + side / 2, columns[layer + 1]![0]!.x - side / 2];
    if (x < left || x > right) continue;
    const t = curveParameter((x - left) / (right - left));
    const rise = t * t * (3 - 2 * t);
    for (const [from, a] of columns[layer]!.entries()) {
      for (const [to, b] of columns[layer + 1]!.entries()) {
        const far = Math.abs(a.y + (b.y - a.y) * rise - y);
        if (far < distance) [distance, closest] = [far, { layer, to, from }];
      }
    }
  }
  return closest;
}

/** Solve x(t) = across by bisection, where x(t) = 1.5t(1-t)² + 1.5t²(1-t) + t³ is the x of a curve from 0 to 1. */
function curveParameter(across: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 20; i++) {
    const t = (low + high) / 2;
    const x = 1.5 * t * (1 - t) ** 2 + 1.5 * t * t * (1 - t) + t ** 3;
    if (x < across) low = t;
    else high = t;
  }
  return low;
}
