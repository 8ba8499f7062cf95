// The plane: what a network says of each point, in colours, and the samples that it learns from.
import { useSignalEffect } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { bytes, paint, PALE, shades, sharpened, traceZero } from "./heat";
import { shape } from "./marks";
import { css, palette } from "./palette";

export type Sample = [x1: number, x2: number, label: number, isTest?: boolean];

export interface Bounds {
  low: [number, number];
  high: [number, number];
}

/** The place of a sample on a square of side 1, from its upper left corner. */
export function placed({ low, high }: Bounds, x1: number, x2: number): [number, number] {
  return [(x1 - low[0]) / (high[0] - low[0]), (high[1] - x2) / (high[1] - low[1])];
}

export function fromPlace({ low, high }: Bounds, across: number, down: number): [number, number] {
  return [low[0] + across * (high[0] - low[0]), high[1] - down * (high[1] - low[1])];
}

/** A map on a canvas that fills the square it is in; the function gives it when it is to be drawn. */
export function HeatMap({ map, label }: { map: () => { text: string; isSigned: boolean } | null; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const draw = () => {
    const given = map();
    const colours = palette.value;
    const at = canvas.current;
    if (!at || !given) return;
    const side = at.clientWidth;
    if (!side) return;
    const context = sharpened(at, side, side);
    const found = bytes(given.text);
    paint(context, found, shades(colours, given.isSigned, PALE), 0, 0, side, side);
    if (!given.isSigned) return;
    context.lineWidth = 1.6;
    context.strokeStyle = css(colours.ink, 0.75);
    traceZero(context, found, side);
  };
  useSignalEffect(draw);
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(() => {
    const watch = new ResizeObserver(() => latest.current());
    watch.observe(canvas.current!);
    return () => watch.disconnect();
  }, []);
  return <canvas ref={canvas} class="heat" role="img" aria-label={label} />;
}

interface PointsProps {
  bounds: Bounds;
  samples: Sample[];
  chosen?: number | null;
  children?: ComponentChildren;
}

/** The samples over a map: filled to train on, hollow to test with. */
export function Points({ bounds, samples, chosen = null, children }: PointsProps): JSX.Element {
  const scale = samples.length > 250 ? 0.75 : samples.length > 12 ? 1 : 1.5;
  return (
    <svg class="points" viewBox="0 0 400 400" aria-hidden="true">
      {samples.map(([x1, x2, label, isTest], i) => {
        const [across, down] = placed(bounds, x1, x2);
        return (
          <path
            key={i}
            d={shape(label)}
            class={`class-${label}${isTest ? " test" : ""}${i === chosen ? " chosen" : ""}`}
            transform={`translate(${(400 * across).toFixed(1)} ${(400 * down).toFixed(1)}) scale(${i === chosen ? 1.5 * scale : scale})`}
          />
        );
      })}
      {children}
    </svg>
  );
}
