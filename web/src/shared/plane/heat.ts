// Heat maps: responses as bytes, their colors, and how they are drawn on a canvas.
import { predictedClass, probabilities } from "./network";
import { type Color, mix, type Palette } from "./palette";

export const ZERO = 128; // the byte that stands for a response of 0
export const PALE = 0.5; // strongest color of a large map: samples must stay visible on top of it
export const FULL = 0.85; // strongest color of a small map, which has nothing on top
const MAX_CONFIDENCE = 31; // five bits hold the confidence of a prediction
const MAX_SCORE = 1e300; // larger scores, whose differences overflow, are shown like this one

/**
 * Responses as bytes. A byte shows the tanh of a response, from which its sign and size can be read: ZERO is 0 and NaN,
 * 255 is a large positive number and 1 a large negative one.
 */
export function signedBytes(response: Float64Array): Uint8Array {
  const map = new Uint8Array(response.length);
  for (let p = 0; p < map.length; p++) map[p] = ZERO + Math.round(127 * (Math.tanh(response[p]!) || 0));
  return map;
}

/** The class with the largest score at each point in the upper three bits, and its confidence in the lower five. */
export function classBytes(scores: Float64Array[]): Uint8Array {
  const map = new Uint8Array(scores[0]!.length);
  const guess = 1 / scores.length;
  for (let p = 0; p < map.length; p++) {
    const finite = scores.map((column) => Math.max(-MAX_SCORE, Math.min(MAX_SCORE, column[p]! || 0)));
    const best = predictedClass(finite);
    map[p] = (best << 5) | Math.round((MAX_CONFIDENCE * (probabilities(finite)[best]! - guess)) / (1 - guess));
  }
  return map;
}

/**
 * The color of each byte, packed as ABGR: of signed maps, which show a response around ZERO, or of maps of classes.
 */
export function shades(palette: Palette, isSigned: boolean, strongest: number): Uint32Array {
  const table = new Uint32Array(256);
  const pack = ([r, g, b]: Color) => (255 << 24) | (b << 16) | (g << 8) | r;
  for (let byte = 0; byte < 256; byte++) {
    if (isSigned) {
      const part = (byte - ZERO) / 127;
      table[byte] = pack(
        mix(palette.paper, part < 0 ? palette.negative : palette.positive, strongest * Math.min(1, Math.abs(part))),
      );
    } else {
      table[byte] = pack(
        mix(palette.paper, palette.classes[byte >> 5] ?? palette.soft, strongest * (0.15 + (0.85 * (byte & 31)) / 31)),
      );
    }
  }
  return table;
}

/** One canvas per map size, reused to scale maps. */
const scratch = new Map<
  number,
  { canvas: HTMLCanvasElement; context: CanvasRenderingContext2D; image: ImageData; pixels: Uint32Array }
>();

function scratchFor(size: number) {
  let entry = scratch.get(size);
  if (!entry) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = size;
    const context = canvas.getContext("2d")!;
    const image = context.createImageData(size, size);
    entry = { canvas, context, image, pixels: new Uint32Array(image.data.buffer) };
    scratch.set(size, entry);
  }
  return entry;
}

/** Draw a map into a rectangle of a canvas. */
export function paint(
  context: CanvasRenderingContext2D,
  map: Uint8Array,
  colors: Uint32Array,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  const size = Math.round(Math.sqrt(map.length));
  const { canvas, context: inner, image, pixels } = scratchFor(size);
  for (let i = 0; i < map.length; i++) pixels[i] = colors[map[i]!]!;
  inner.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = "high";
  context.drawImage(canvas, x, y, width, height);
}

/** Blur a map: its bytes are quantized, which would make the zero line jagged where the slope is gentle. */
function smooth(map: Uint8Array, size: number): Float32Array {
  let from: ArrayLike<number> = map;
  for (const stride of [1, size]) {
    const to = new Float32Array(map.length);
    for (let i = 0; i < map.length; i++) {
      const along = stride === 1 ? i % size : Math.floor(i / size);
      const before = along > 0 ? from[i - stride]! : from[i]!;
      const after = along + 1 < size ? from[i + stride]! : from[i]!;
      to[i] = (before + 2 * from[i]! + after) / 4;
    }
    from = to;
  }
  return from as Float32Array;
}

/** Stroke the line where a signed map crosses 0, on a square of the given side, by marching squares. */
export function strokeZeroLevel(context: CanvasRenderingContext2D, map: Uint8Array, side: number): void {
  const size = Math.round(Math.sqrt(map.length));
  const unit = side / size;
  const blurred = smooth(map, size);
  const at = (row: number, column: number) => blurred[row * size + column]! - ZERO + 0.001;
  context.beginPath();
  for (let row = 0; row + 1 < size; row++) {
    for (let column = 0; column + 1 < size; column++) {
      const [a, b, c, d] = [at(row, column), at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)];
      const corners = (a > 0 ? 1 : 0) | (b > 0 ? 2 : 0) | (c > 0 ? 4 : 0) | (d > 0 ? 8 : 0);
      if (corners === 0 || corners === 15) continue;
      const [x, y] = [(column + 0.5) * unit, (row + 0.5) * unit];
      const top = [x + (unit * a) / (a - b), y] as const;
      const right = [x + unit, y + (unit * b) / (b - c)] as const;
      const bottom = [x + (unit * d) / (d - c), y + unit] as const;
      const left = [x, y + (unit * a) / (a - d)] as const;
      const line = (from: readonly [number, number], to: readonly [number, number]) => {
        context.moveTo(...from);
        context.lineTo(...to);
      };
      switch (corners) {
        case 1:
        case 14:
          line(left, top);
          break;
        case 2:
        case 13:
          line(top, right);
          break;
        case 3:
        case 12:
          line(left, right);
          break;
        case 4:
        case 11:
          line(right, bottom);
          break;
        case 6:
        case 9:
          line(top, bottom);
          break;
        case 7:
        case 8:
          line(left, bottom);
          break;
        case 5:
          line(left, top);
          line(right, bottom);
          break;
        case 10:
          line(top, right);
          line(left, bottom);
          break;
      }
    }
  }
  context.stroke();
}

/** Clear a canvas, match it to the resolution of the screen, and return a context in CSS pixels. */
export function sharpContext(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = Math.min(3, devicePixelRatio || 1);
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
