// The square of a neuron in the network diagram: its response over the plane, or its activation for one case.
import { formatNumber, toNumber, type Wire } from "../../shared/numbers";
import { PALE, paint } from "../../shared/plane/heat";
import { css, mix, type Palette } from "../../shared/plane/palette";

export interface Square {
  left: number;
  top: number;
  side: number;
}

function trace(context: CanvasRenderingContext2D, { left, top, side }: Square): void {
  context.beginPath();
  context.roundRect(left, top, side, side, 5);
}

/** Draw the response over the plane, with a dot at a point of the unit square; without a tile, an empty square. */
export function drawTile(
  context: CanvasRenderingContext2D,
  square: Square,
  tile: Uint8Array | null,
  signed: Uint32Array,
  colors: Palette,
  dot: [number, number] | null,
): void {
  const { left, top, side } = square;
  context.save();
  trace(context, square);
  context.fillStyle = css(colors.paper);
  context.fill();
  context.clip();
  if (tile) paint(context, tile, signed, left, top, side, side);
  if (dot) {
    context.beginPath();
    context.arc(left + dot[0] * side, top + dot[1] * side, 2.2, 0, 7);
    context.fillStyle = css(colors.ink);
    context.fill();
  }
  context.restore();
}

/** Draw an activation as a color and a number. */
export function drawActivation(
  context: CanvasRenderingContext2D,
  square: Square,
  activation: Wire,
  colors: Palette,
): void {
  const { left, top, side } = square;
  const x = toNumber(activation);
  const strength = PALE * Math.abs(Math.tanh(x) || 0);
  trace(context, square);
  context.fillStyle = css(mix(colors.paper, x < 0 ? colors.negative : colors.positive, strength));
  context.fill();
  const text = formatNumber(activation, 2);
  context.fillStyle = css(colors.ink);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = `${Math.min(13, Math.floor((1.55 * side) / Math.max(4, text.length)))}px ui-monospace, monospace`;
  context.fillText(text, left + side / 2, top + side / 2 + 1);
}

export function outline(context: CanvasRenderingContext2D, square: Square, colors: Palette, isFocused: boolean): void {
  trace(context, square);
  context.lineWidth = isFocused ? 2.5 : 1;
  context.strokeStyle = css(isFocused ? colors.accent : colors.soft, isFocused ? 1 : 0.55);
  context.stroke();
}
