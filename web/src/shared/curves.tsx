// Curves over the training steps, drawn by uPlot in the colors of the page.
import "uplot/dist/uPlot.min.css";
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { formatNumber } from "./numbers";
import { type Color, css, type Palette, palette } from "./plane/palette";

export interface Line {
  label: string;
  color: (of: Palette) => Color;
  dash?: number[];
  width?: number;
}

interface Props {
  /** The steps, then the values of each line. Called within an effect, so it may read signals. */
  data: () => (number | null)[][];
  lines: Line[];
  height: number;
  range?: [number | null, number | null];
  isLogarithmic?: boolean;
  format?: (x: number) => string;
  label: string;
}

/** Tick positions of a log axis: powers of ten, at most about six of them. */
function powers(_: uPlot, __: number, min: number, max: number): number[] {
  const first = Math.round(Math.log10(min));
  const last = Math.round(Math.log10(max));
  const every = Math.max(1, Math.ceil((last - first) / 5));
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (___, i) => 10 ** (first + i * every));
}

export function Curves({
  data,
  lines,
  height,
  range,
  isLogarithmic = false,
  format = (x) => formatNumber(x, 3),
  label,
}: Props) {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const lastPalette = useRef<Palette | null>(null);

  const make = (colors: Palette, numbers: uPlot.AlignedData) => {
    plot.current?.destroy();
    const grid = { stroke: css(colors.line), width: 1 };
    const font = "11px system-ui, sans-serif";
    const axis: uPlot.Axis = { stroke: css(colors.soft), font, grid, ticks: { ...grid, size: 4 } };
    plot.current = new uPlot(
      {
        width: Math.max(80, container.current!.clientWidth),
        height,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 6 } },
        padding: [8, 20, 0, 0], // to the right, room for half of the last label
        scales: {
          x: { time: false },
          y: {
            distr: isLogarithmic ? 3 : 1,
            range: (_, min, max) => {
              if (isLogarithmic)
                return [
                  10 ** Math.floor(Math.log10(Math.max(1e-9, min ?? 1e-3))),
                  10 ** Math.ceil(Math.log10(Math.max(1e-8, max ?? 1))),
                ];
              const bottom = range?.[0] ?? Math.min(0, min ?? 0);
              const top = range?.[1] ?? Math.max((max ?? 1) * 1.08, bottom + 1e-6);
              return [bottom, top];
            },
          },
        },
        axes: [
          {
            ...axis,
            size: 26,
            space: 60,
            values: (_, ticks) => ticks.map((x) => (Number.isInteger(x) ? String(x) : "")),
          },
          {
            ...axis,
            size: 46,
            space: 30,
            ...(isLogarithmic ? { splits: powers } : {}),
            values: (_, ticks) => ticks.map((x) => (x === null || x === undefined ? "" : format(x))),
          },
        ],
        series: [
          { label: "step" },
          ...lines.map((line): uPlot.Series => {
            return {
              label: line.label,
              stroke: css(line.color(colors)),
              width: line.width ?? 2,
              ...(line.dash ? { dash: line.dash } : {}),
              spanGaps: false,
              points: { show: false },
            };
          }),
        ],
      },
      numbers,
      container.current!,
    );
  };

  useSignalEffect(() => {
    const numbers = data() as uPlot.AlignedData;
    const colors = palette.value;
    if (!container.current) return;
    if (!plot.current || lastPalette.current !== colors) make(colors, numbers);
    else plot.current.setData(numbers);
    lastPalette.current = colors;
  });
  useEffect(() => {
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: Math.max(80, container.current?.clientWidth ?? 80), height }),
    );
    observer.observe(container.current!);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, []);
  return <div ref={container} class="curves" role="img" aria-label={label} />;
}
