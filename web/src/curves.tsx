// A curve over the steps, drawn by uPlot in the colours of the page.
import "uplot/dist/uPlot.min.css";
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { type Colour, css, palette, type Palette } from "./plane/palette";
import { written } from "./numbers";

export interface Line {
  label: string;
  colour: (of: Palette) => Colour;
  dash?: number[];
  width?: number;
}

interface Props {
  /** The steps, and the numbers of each line at them; read within an effect, so that signals are followed. */
  data: () => (number | null)[][];
  lines: Line[];
  height: number;
  range?: [number | null, number | null];
  isLogarithmic?: boolean;
  format?: (x: number) => string;
  label: string;
}

/** The powers of ten from one number to another; of many, some. */
function powers(_: uPlot, __: number, least: number, most: number): number[] {
  const first = Math.round(Math.log10(least)), last = Math.round(Math.log10(most));
  const every = Math.max(1, Math.ceil((last - first) / 5));
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (___, i) => 10 ** (first + i * every));
}

export function Curves({ data, lines, height, range, isLogarithmic = false, format = (x) => written(x, 3), label }: Props) {
  const home = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const drawn = useRef<Palette | null>(null);

  const make = (colours: Palette, numbers: uPlot.AlignedData) => {
    plot.current?.destroy();
    const text = css(colours.soft), grid = { stroke: css(colours.line), width: 1 }, font = "11px system-ui, sans-serif";
    const axis: uPlot.Axis = { stroke: text, font, grid, ticks: { ...grid, size: 4 } };
    plot.current = new uPlot(
      {
        width: Math.max(80, home.current!.clientWidth),
        height,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 6 } },
        padding: [8, 8, 0, 0],
        scales: {
          x: { time: false },
          y: {
            distr: isLogarithmic ? 3 : 1,
            range: (_, least, most) => {
              if (isLogarithmic) return [10 ** Math.floor(Math.log10(Math.max(1e-9, least ?? 1e-3))), 10 ** Math.ceil(Math.log10(Math.max(1e-8, most ?? 1)))];
              const bottom = range?.[0] ?? Math.min(0, least ?? 0);
              const top = range?.[1] ?? Math.max((most ?? 1) * 1.08, bottom + 1e-6);
              return [bottom, top];
            },
          },
        },
        axes: [
          { ...axis, size: 26, space: 60, values: (_, at) => at.map((x) => (Number.isInteger(x) ? String(x) : "")) },
          { ...axis, size: 46, space: 30, ...(isLogarithmic ? { splits: powers } : {}), values: (_, at) => at.map((x) => (x === null || x === undefined ? "" : format(x))) },
        ],
        series: [
          { label: "step" },
          ...lines.map((line): uPlot.Series => {
            return { label: line.label, stroke: css(line.colour(colours)), width: line.width ?? 2, ...(line.dash ? { dash: line.dash } : {}), spanGaps: false, points: { show: false } };
          }),
        ],
      },
      numbers,
      home.current!,
    );
  };

  useSignalEffect(() => {
    const numbers = data() as uPlot.AlignedData;
    const colours = palette.value;
    if (!home.current) return;
    if (!plot.current || drawn.current !== colours) make(colours, numbers);
    else plot.current.setData(numbers);
    drawn.current = colours;
  });
  useEffect(() => {
    const watch = new ResizeObserver(() => plot.current?.setSize({ width: Math.max(80, home.current?.clientWidth ?? 80), height }));
    watch.observe(home.current!);
    return () => {
      watch.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, []);
  return <div ref={home} class="curves" role="img" aria-label={label} />;
}
