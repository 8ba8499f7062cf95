// Heat maps: bytes as the engine sends them, and the colours that they stand for.
import { type Colour, mixed, type Palette } from "./palette";

export const ZERO = 128; // the byte of a response of 0
export const PALE = 0.5; // how much of its colour a large map shows at most: samples are to be seen on it
export const FULL = 0.85; // and a small one, with nothing on it

export function bytes(text: string): Uint8Array {
  const raw = atob(text);
  const found = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) found[i] = raw.charCodeAt(i);
  return found;
}

/** The colour of each byte: of a signed response, or of a class and how sure the network is of it. */
export function shades(palette: Palette, isSigned: boolean, strongest: number): Uint32Array {
  const found = new Uint32Array(256);
  const packed = ([r, g, b]: Colour) => (255 << 24) | (b << 16) | (g << 8) | r;
  for (let byte = 0; byte < 256; byte++) {
    if (isSigned) {
      const part = (byte - ZERO) / 127;
      found[byte] = packed(mixed(palette.paper, part < 0 ? palette.negative : palette.positive, strongest * Math.min(1, Math.abs(part))));
    } else {
      found[byte] = packed(mixed(palette.paper, palette.classes[byte >> 5] ?? palette.soft, strongest * (0.15 + (0.85 * (byte & 31)) / 31)));
    }
  }
  return found;
}

const scratch = new Map<number, { canvas: HTMLCanvasElement; context: CanvasRenderingContext2D; image: ImageData; pixels: Uint32Array }>();

function sheet(size: number) {
  let found = scratch.get(size);
  if (!found) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = size;
    const context = canvas.getContext("2d")!;
    const image = context.createImageData(size, size);
    found = { canvas, context, image, pixels: new Uint32Array(image.data.buffer) };
    scratch.set(size, found);
  }
  return found;
}

/** Draw a map into a rectangle of a canvas. */
export function paint(context: CanvasRenderingContext2D, map: Uint8Array, colours: Uint32Array, x: number, y: number, width: number, height: number): void {
  const size = Math.round(Math.sqrt(map.length));
  const { canvas, context: inner, image, pixels } = sheet(size);
  for (let i = 0; i < map.length; i++) pixels[i] = colours[map[i]!]!;
  inner.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = "high";
  context.drawImage(canvas, x, y, width, height);
}

/** A map without the steps of its bytes, which would make a line through a gentle slope jagged. */
function smoothed(map: Uint8Array, size: number): Float32Array {
  let from: ArrayLike<number> = map;
  for (const stride of [1, size]) {
    const to = new Float32Array(map.length);
    for (let i = 0; i < map.length; i++) {
      const along = stride === 1 ? i % size : Math.floor(i / size);
      const before = along > 0 ? from[i - stride]! : from[i]!, after = along + 1 < size ? from[i + stride]! : from[i]!;
      to[i] = (before + 2 * from[i]! + after) / 4;
    }
    from = to;
  }
  return from as Float32Array;
}

/** Trace where a signed map goes through 0, as a path over a square of the given side: marching squares. */
export function traceZero(context: CanvasRenderingContext2D, map: Uint8Array, side: number): void {
  const size = Math.round(Math.sqrt(map.length));
  const unit = side / size;
  const even = smoothed(map, size);
  const at = (row: number, column: number) => even[row * size + column]! - ZERO + 0.001;
  context.beginPath();
  for (let row = 0; row + 1 < size; row++) {
    for (let column = 0; column + 1 < size; column++) {
      const a = at(row, column), b = at(row, column + 1), c = at(row + 1, column + 1), d = at(row + 1, column);
      const corners = (a > 0 ? 1 : 0) | (b > 0 ? 2 : 0) | (c > 0 ? 4 : 0) | (d > 0 ? 8 : 0);
      if (corners === 0 || corners === 15) continue;
      const x = (column + 0.5) * unit, y = (row + 0.5) * unit;
      const top = [x + (unit * a) / (a - b), y] as const;
      const right = [x + unit, y + (unit * b) / (b - c)] as const;
      const bottom = [x + (unit * d) / (d - c), y + unit] as const;
      const left = [x, y + (unit * a) / (a - d)] as const;
      const line = (from: readonly [number, number], to: readonly [number, number]) => {
        context.moveTo(...from);
        context.lineTo(...to);
      };
      switch (corners) {
        case 1: case 14: line(left, top); break;
        case 2: case 13: line(top, right); break;
        case 3: case 12: line(left, right); break;
        case 4: case 11: line(right, bottom); break;
        case 6: case 9: line(top, bottom); break;
        case 7: case 8: line(left, bottom); break;
        case 5: line(left, top); line(right, bottom); break;
        case 10: line(top, right); line(left, bottom); break;
      }
    }
  }
  context.stroke();
}

/** Make a canvas as sharp as the screen, and return what draws on it in CSS pixels. */
export function sharpened(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = Math.min(3, devicePixelRatio || 1);
  const w = Math.round(width * ratio), h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
