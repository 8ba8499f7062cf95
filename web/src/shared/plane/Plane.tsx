// The input plane: the prediction of a network at each point as a heat map, and the samples.
import { useSignalEffect } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isVisible } from "../presence";
import { PALE, paint, shades, sharpContext, strokeZeroLevel } from "./heat";
import { shape } from "./marks";
import { css, palette } from "./palette";

export type Sample = [x1: number, x2: number, label: number, isTest?: boolean];

export interface Bounds {
  low: [number, number];
  high: [number, number];
}

/** Map a point to the unit square, measured from its upper left corner. */
export function toUnitSquare({ low, high }: Bounds, x1: number, x2: number): [number, number] {
  return [(x1 - low[0]) / (high[0] - low[0]), (high[1] - x2) / (high[1] - low[1])];
}

/** The inverse of `toUnitSquare`. */
export function fromUnitSquare({ low, high }: Bounds, across: number, down: number): [number, number] {
  return [low[0] + across * (high[0] - low[0]), high[1] - down * (high[1] - low[1])];
}

/** A heat map that fills its parent. `map` is called within an effect, so it may read signals. */
export function HeatMap({ map, label }: { map: () => { bytes: Uint8Array; isSigned: boolean } | null; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const draw = () => {
    if (!isVisible.value) return;
    const current = map();
    const colors = palette.value;
    const element = canvas.current;
    if (!element || !current) return;
    const side = element.clientWidth;
    if (!side) return;
    const context = sharpContext(element, side, side);
    paint(context, current.bytes, shades(colors, current.isSigned, PALE), 0, 0, side, side);
    if (!current.isSigned) return;
    context.lineWidth = 1.6;
    context.strokeStyle = css(colors.ink, 0.75);
    strokeZeroLevel(context, current.bytes, side);
  };
  useSignalEffect(draw);
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(() => {
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, []);
  return <canvas ref={canvas} class="heat" role="img" aria-label={label} />;
}

interface PointsProps {
  bounds: Bounds;
  samples: Sample[];
  selected?: number | null;
  children?: ComponentChildren;
}

/** The samples: filled markers for training, hollow markers for testing. */
export function Points({ bounds, samples, selected = null, children }: PointsProps): JSX.Element {
  const scale = samples.length > 250 ? 0.75 : samples.length > 12 ? 1 : 1.5;
  return (
    <svg class="points" viewBox="0 0 400 400" aria-hidden="true">
      {samples.map(([x1, x2, label, isTest], i) => {
        const [across, down] = toUnitSquare(bounds, x1, x2);
        return (
          <path
            key={i}
            d={shape(label)}
            class={`class-${label}${isTest ? " test" : ""}${i === selected ? " chosen" : ""}`}
            transform={`translate(${(400 * across).toFixed(1)} ${(400 * down).toFixed(1)}) scale(${i === selected ? 1.5 * scale : scale})`}
          />
        );
      })}
      {children}
    </svg>
  );
}
