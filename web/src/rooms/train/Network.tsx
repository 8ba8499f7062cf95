// The network: each neuron as the map of its response, each weight as a curve, its width and color the number.
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { toNumber, formatNumber } from "../../shared/numbers";
import { bytes, FULL, paint, shades, sharpContext } from "../../shared/plane/heat";
import { toUnitSquare } from "../../shared/plane/Plane";
import { css, palette } from "../../shared/plane/palette";
import { nameOf } from "./Output";
import { choices, configuration, focus, focusNeuron, probe, set, edgeQuantity, snapshot, state } from "./room";

const HEAD = 40; // what is above the neurons: the buttons of a layer
const GAP = 8;
const LEAST_COLUMN = 62;
const LEAST_HEIGHT = 400;

interface Place {
  x: number;
  y: number;
}

interface Plan {
  width: number;
  height: number;
  side: number;
  columns: Place[][];
}

function planDiagram(sizes: number[], available: number): Plan {
  const most = Math.max(...sizes);
  const side = most > 12 ? 24 : most > 8 ? 30 : most > 5 ? 40 : 52;
  const width = Math.max(available, LEAST_COLUMN * sizes.length);
  const height = HEAD + Math.max(LEAST_HEIGHT, most * (side + GAP)) + GAP;
  const between = (width - side - 24) / Math.max(1, sizes.length - 1);
  const columns = sizes.map((count, k) => {
    const x = 12 + side / 2 + k * between;
    const first = HEAD + (height - HEAD) / 2 - ((count - 1) * (side + GAP)) / 2;
    return Array.from({ length: count }, (_, i) => ({ x, y: first + i * (side + GAP) }));
  });
  return { width, height, side, columns };
}

interface Edge {
  layer: number;
  to: number;
  from: number;
}

export function Network() {
  const now = state.value!;
  const home = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [available, setAvailable] = useState(600);
  const [edge, setEdge] = useState<Edge | null>(null);
  const plan = planDiagram(now.sizes, available);
  const planNow = useRef(plan);
  const edgeNow = useRef(edge);
  planNow.current = plan;
  edgeNow.current = edge;

  const draw = () => {
    const seen = snapshot.value,
      colors = palette.value,
      looked = focus.value,
      probed = probe.value,
      what = edgeQuantity.value,
      of = state.value;
    const { width, height, side, columns } = planNow.current;
    if (!canvas.current || !seen || !of || seen.weights.length !== columns.length - 1) return;
    const context = sharpContext(canvas.current, width, height);
    const numbers = what === "weights" ? seen.weights : seen.gradients;
    numbers.forEach((layer, k) => {
      const all = layer.w.flat().map((x) => Math.abs(toNumber(x)) || 0);
      const largest = Math.max(1e-12, ...all.filter(Number.isFinite));
      // weights are drawn on one scale, so that layers can be compared; gradients of early layers would not be seen
      const scale = what === "weights" ? 4.2 / Math.max(1.5, largest) : 4.2 / largest;
      layer.w.forEach((row, to) => {
        row.forEach((w, from) => {
          const n = toNumber(w);
          const size = Number.isFinite(n) ? Math.min(6, Math.abs(n) * scale) : 6;
          const a = columns[k]![from],
            b = columns[k + 1]![to];
          if (!a || !b || size < 0.06) return;
          const isNear = looked
            ? (looked.layer === k + 1 && looked.neuron === to) || (looked.layer === k && looked.neuron === from)
            : true;
          const isPointed = edgeNow.current?.layer === k && edgeNow.current.to === to && edgeNow.current.from === from;
          context.strokeStyle = css(
            n < 0 ? colors.negative : colors.positive,
            isPointed ? 1 : isNear ? 0.3 + 0.6 * Math.min(1, size / 3) : 0.12,
          );
          context.lineWidth = Math.max(0.5, size) + (isPointed ? 1.5 : 0);
          context.setLineDash(n < 0 ? [5, 3.5] : []);
          trace(context, a, b, side);
        });
      });
    });
    context.setLineDash([]);
    const signed = shades(colors, true, FULL);
    seen.tiles.forEach((tiles, k) => {
      tiles.forEach((tile, i) => {
        const place = columns[k]?.[i];
        if (!place) return;
        const left = place.x - side / 2,
          top = place.y - side / 2;
        context.save();
        context.beginPath();
        context.roundRect(left, top, side, side, 5);
        context.fillStyle = css(colors.paper);
        context.fill();
        context.clip();
        paint(context, bytes(tile), signed, left, top, side, side);
        if (probed) {
          const [across, down] = toUnitSquare(of, probed.x1, probed.x2);
          context.beginPath();
          context.arc(left + across * side, top + down * side, 2.2, 0, 7);
          context.fillStyle = css(colors.ink);
          context.fill();
        }
        context.restore();
        context.beginPath();
        context.roundRect(left, top, side, side, 5);
        const isLooked = looked?.layer === k && looked.neuron === i;
        context.lineWidth = isLooked ? 2.5 : 1;
        context.strokeStyle = css(isLooked ? colors.accent : colors.soft, isLooked ? 1 : 0.55);
        context.stroke();
      });
    });
  };
  useSignalEffect(draw);
  useEffect(draw);
  useEffect(() => {
    const watch = new ResizeObserver(() => setAvailable(home.current?.clientWidth ?? 600));
    watch.observe(home.current!);
    return () => watch.disconnect();
  }, []);

  const point = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    setEdge(nearestEdge(plan, event.clientX - box.left, event.clientY - box.top));
  };
  const hidden = now.configuration.hidden;
  const resize = (k: number, by: number) => set({ hidden: hidden.map((n, i) => (i === k ? n + by : n)) });
  const most = choices.value!.most;
  return (
    <section class="card network" aria-label="Network">
      <div class="row spread">
        <div class="row">
          <h3>
            {now.sizes.join(" – ")} <span class="soft small">{now.parameters.toLocaleString("en")} parameters</span>
          </h3>
        </div>
        <div class="row">
          <div class="row together" role="group" aria-label="Hidden layers">
            <button
              aria-label="One hidden layer less"
              title="One hidden layer less"
              disabled={hidden.length === 0}
              onClick={() => set({ hidden: hidden.slice(0, -1) })}
            >
              −
            </button>
            <span class="small">{hidden.length === 1 ? "1 hidden layer" : `${hidden.length} hidden layers`}</span>
            <button
              aria-label="One hidden layer more"
              title="One hidden layer more"
              disabled={hidden.length >= most.layers}
              onClick={() => set({ hidden: [...hidden, hidden.at(-1) ?? 4] })}
            >
              +
            </button>
          </div>
          <div class="row together" role="group" aria-label="Curves show">
            {(["weights", "gradients"] as const).map((what) => (
              <button key={what} aria-pressed={edgeQuantity.value === what} onClick={() => (edgeQuantity.value = what)}>
                {what}
              </button>
            ))}
          </div>
        </div>
      </div>
      <div class="scroll" ref={home}>
        <div
          class="diagram"
          style={{ width: `${plan.width}px`, height: `${plan.height}px` }}
          onMouseMove={point}
          onMouseLeave={() => setEdge(null)}
        >
          <canvas ref={canvas} style={{ width: `${plan.width}px`, height: `${plan.height}px` }} aria-hidden="true" />
          {hidden.map((count, k) => (
            <div
              key={k}
              class="layer-head"
              style={{ left: `${plan.columns[k + 1]![0]!.x}px` }}
              role="group"
              aria-label={`Neurons of layer ${k + 1}`}
            >
              <button
                aria-label={`One neuron less in layer ${k + 1}`}
                disabled={count <= 1}
                onClick={() => resize(k, -1)}
              >
                −
              </button>
              <button
                aria-label={`One neuron more in layer ${k + 1}`}
                disabled={count >= most.neurons}
                onClick={() => resize(k, 1)}
              >
                +
              </button>
            </div>
          ))}
          {plan.columns.flatMap((column, k) =>
            column.map(({ x, y }, i) => (
              <button
                key={`${k}.${i}`}
                class="neuron"
                style={{
                  left: `${x - plan.side / 2}px`,
                  top: `${y - plan.side / 2}px`,
                  width: `${plan.side}px`,
                  height: `${plan.side}px`,
                }}
                aria-label={capital(nameOf(k, i))}
                aria-pressed={focus.value?.layer === k && focus.value.neuron === i}
                onMouseEnter={() => void focusNeuron({ layer: k, neuron: i })}
                onMouseLeave={() => void focusNeuron(null)}
                onFocus={() => void focusNeuron({ layer: k, neuron: i })}
                onBlur={() => void focusNeuron(null)}
              />
            )),
          )}
        </div>
      </div>
      <p class="small pointed" aria-live="polite">
        <HoverText edge={edge} />
      </p>
    </section>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function HoverText({ edge }: { edge: Edge | null }) {
  const seen = snapshot.value;
  const looked = focus.value;
  if (seen && edge) {
    const { layer, to, from } = edge;
    return (
      <>
        {capital(nameOf(layer, from))} → {nameOf(layer + 1, to)}: weight{" "}
        <span class="number">{formatNumber(seen.weights[layer]?.w[to]?.[from])}</span>, gradient{" "}
        <span class="number">{formatNumber(seen.gradients[layer]?.w[to]?.[from])}</span>
      </>
    );
  }
  if (seen && looked && looked.layer > 0) {
    const { w, b } = seen.weights[looked.layer - 1] ?? { w: [], b: [] };
    const value = probe.value?.layers[looked.layer]?.[looked.neuron];
    const listed = w[looked.neuron] ?? [];
    return (
      <>
        {capital(nameOf(looked.layer, looked.neuron))}: weights{" "}
        <span class="number">
          {listed
            .slice(0, 6)
            .map((x) => formatNumber(x, 3))
            .join(", ")}
          {listed.length > 6 ? ", …" : ""}
        </span>
        , bias <span class="number">{formatNumber(b[looked.neuron], 3)}</span>
        {value !== undefined && (
          <>
            , here <span class="number">{formatNumber(value, 3)}</span>
          </>
        )}
      </>
    );
  }
  return (
    <span class="soft">
      <span class="sign negative">▬ ▬</span> below 0, <span class="sign positive">▬▬▬</span> above; wider is larger.{" "}
      {configuration.value?.activation === "linear"
        ? ""
        : "Each square is what a neuron answers, over the whole plane."}
    </span>
  );
}

function ends(a: Place, b: Place, side: number): [Place, Place, number] {
  const from = { x: a.x + side / 2, y: a.y },
    to = { x: b.x - side / 2, y: b.y };
  return [from, to, (to.x - from.x) * 0.5];
}

function trace(context: CanvasRenderingContext2D, a: Place, b: Place, side: number): void {
  const [from, to, reach] = ends(a, b, side);
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.bezierCurveTo(from.x + reach, from.y, to.x - reach, to.y, to.x, to.y);
  context.stroke();
}

/** The curve that is pointed at, if one is near. */
function nearestEdge({ columns, side }: Plan, x: number, y: number): Edge | null {
  let found: Edge | null = null;
  let least = 6;
  for (let layer = 0; layer + 1 < columns.length; layer++) {
    const [first, last] = [columns[layer]![0]!.x + side / 2, columns[layer + 1]![0]!.x - side / 2];
    if (x < first || x > last) continue;
    const part = curveParameter((x - first) / (last - first));
    const rise = part * part * (3 - 2 * part);
    columns[layer]!.forEach((a, from) =>
      columns[layer + 1]!.forEach((b, to) => {
        const far = Math.abs(a.y + (b.y - a.y) * rise - y);
        if (far < least) [least, found] = [far, { layer, to, from }];
      }),
    );
  }
  return found;
}

/** Where on such a curve, from 0 to 1, a part of the way across is reached: its x is 1.5t(1-t)² + 1.5t²(1-t) + t³. */
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
