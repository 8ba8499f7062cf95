// The diagram of the network: each neuron as a heat map of its response, each weight as a curve whose width and color
// show its value.
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatNumber, toNumber } from "../../shared/numbers";
import { FULL, shades, sharpContext } from "../../shared/plane/heat";
import { toUnitSquare } from "../../shared/plane/Plane";
import { css, palette } from "../../shared/plane/palette";
import { isVisible } from "../../shared/presence";
import { type Edge, nearestEdge, planDiagram, strokeEdge } from "./diagram";
import { drawActivation, drawTile, outline } from "./neurons";
import { nameOf } from "./Output";
import { cases, choices, edgeQuantity, focus, maps, probe, selectedCase, set, snapshot, state } from "./room";

export function Network() {
  const now = state.value!;
  const container = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [available, setAvailable] = useState(600);
  const [edge, setEdge] = useState<Edge | null>(null);
  const plan = planDiagram(now.sizes, available);
  const planNow = useRef(plan);
  const edgeNow = useRef(edge);
  planNow.current = plan;
  edgeNow.current = edge;

  const draw = () => {
    if (!isVisible.value) return;
    // Read every signal before the next return, so that the effect follows all of them.
    const [current, colors, bounds] = [snapshot.value, palette.value, state.value];
    const [focused, point, quantity] = [focus.value, probe.value, edgeQuantity.value];
    const tiles = maps.value?.tiles;
    const activations = cases.value[selectedCase.value ?? -1]?.layers;
    const { width, height, side, columns } = planNow.current;
    if (!canvas.current || !current || !bounds || current.weights.length !== columns.length - 1) return;
    if (bounds.is_plane && !tiles) return; // the snapshot of a new run has not arrived
    const context = sharpContext(canvas.current, width, height);
    const numbers = quantity === "weights" ? current.weights : current.gradients;
    numbers.forEach((layer, k) => {
      const all = layer.w.flat().map((x) => Math.abs(toNumber(x)) || 0);
      const largest = Math.max(1e-12, ...all.filter(Number.isFinite));
      // Weights share one scale, so that layers can be compared; small gradients of early layers would vanish on it.
      const scale = quantity === "weights" ? 4.2 / Math.max(1.5, largest) : 4.2 / largest;
      layer.w.forEach((row, to) => {
        row.forEach((w, from) => {
          const n = toNumber(w);
          const size = Number.isFinite(n) ? Math.min(6, Math.abs(n) * scale) : 6;
          const a = columns[k]![from],
            b = columns[k + 1]![to];
          if (!a || !b || size < 0.06) return;
          const isNear = focused
            ? (focused.layer === k + 1 && focused.neuron === to) || (focused.layer === k && focused.neuron === from)
            : true;
          const isHovered = edgeNow.current?.layer === k && edgeNow.current.to === to && edgeNow.current.from === from;
          context.strokeStyle = css(
            n < 0 ? colors.negative : colors.positive,
            isHovered ? 1 : isNear ? 0.3 + 0.6 * Math.min(1, size / 3) : 0.12,
          );
          context.lineWidth = Math.max(0.5, size) + (isHovered ? 1.5 : 0);
          context.setLineDash(n < 0 ? [5, 3.5] : []);
          strokeEdge(context, a, b, side);
        });
      });
    });
    context.setLineDash([]);
    const signed = shades(colors, true, FULL);
    columns.forEach((places, k) => {
      places.forEach((place, i) => {
        const square = { left: place.x - side / 2, top: place.y - side / 2, side };
        const tile = tiles?.[k]?.[i];
        const activation = point ? undefined : activations?.[k]?.[i];
        if (activation !== undefined) drawActivation(context, square, activation, colors);
        else drawTile(context, square, tile ?? null, signed, colors, point && toUnitSquare(bounds, point.x1, point.x2));
        outline(context, square, colors, focused?.layer === k && focused.neuron === i);
      });
    });
  };
  useSignalEffect(draw);
  useEffect(draw);
  useEffect(() => {
    const observer = new ResizeObserver(() => setAvailable(container.current?.clientWidth ?? 600));
    observer.observe(container.current!);
    return () => observer.disconnect();
  }, []);

  const onMove = (event: MouseEvent) => {
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
              type="button"
              aria-label="Remove a hidden layer"
              title="Remove a hidden layer"
              disabled={hidden.length === 0}
              onClick={() => set({ hidden: hidden.slice(0, -1) })}
            >
              −
            </button>
            <span class="small">{hidden.length === 1 ? "1 hidden layer" : `${hidden.length} hidden layers`}</span>
            <button
              type="button"
              aria-label="Add a hidden layer"
              title="Add a hidden layer"
              disabled={hidden.length >= most.layers}
              onClick={() => set({ hidden: [...hidden, hidden.at(-1) ?? 4] })}
            >
              +
            </button>
          </div>
          <div class="row together" role="group" aria-label="Curves show">
            {(["weights", "gradients"] as const).map((what) => (
              <button
                type="button"
                key={what}
                aria-pressed={edgeQuantity.value === what}
                onClick={() => (edgeQuantity.value = what)}
              >
                {what}
              </button>
            ))}
          </div>
        </div>
      </div>
      <div class="scroll" ref={container}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: pointing at a curve adds to what the buttons already offer */}
        <div
          class="diagram"
          style={{ width: `${plan.width}px`, height: `${plan.height}px` }}
          onMouseMove={onMove}
          onMouseLeave={() => setEdge(null)}
        >
          {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas without tabindex takes no focus */}
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
                type="button"
                aria-label={`Remove a neuron from layer ${k + 1}`}
                disabled={count <= 1}
                onClick={() => resize(k, -1)}
              >
                −
              </button>
              <button
                type="button"
                aria-label={`Add a neuron to layer ${k + 1}`}
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
                type="button"
                key={`${k}.${i}`}
                class="neuron"
                style={{
                  left: `${x - plan.side / 2}px`,
                  top: `${y - plan.side / 2}px`,
                  width: `${plan.side}px`,
                  height: `${plan.side}px`,
                }}
                aria-label={capitalize(nameOf(k, i))}
                aria-pressed={focus.value?.layer === k && focus.value.neuron === i}
                onMouseEnter={() => (focus.value = { layer: k, neuron: i })}
                onMouseLeave={() => (focus.value = null)}
                onFocus={() => (focus.value = { layer: k, neuron: i })}
                onBlur={() => (focus.value = null)}
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

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function HoverText({ edge }: { edge: Edge | null }) {
  const current = snapshot.value;
  const focused = focus.value;
  if (current && edge) {
    const { layer, to, from } = edge;
    return (
      <>
        {capitalize(nameOf(layer, from))} → {nameOf(layer + 1, to)}: weight{" "}
        <span class="number">{formatNumber(current.weights[layer]?.w[to]?.[from])}</span>, gradient{" "}
        <span class="number">{formatNumber(current.gradients[layer]?.w[to]?.[from])}</span>
      </>
    );
  }
  if (current && focused && focused.layer > 0) {
    const { w, b } = current.weights[focused.layer - 1] ?? { w: [], b: [] };
    const { layers } = probe.value ?? cases.value[selectedCase.value ?? -1] ?? { layers: [] };
    const value = layers[focused.layer]?.[focused.neuron];
    const listed = w[focused.neuron] ?? [];
    return (
      <>
        {capitalize(nameOf(focused.layer, focused.neuron))}: weights{" "}
        <span class="number">
          {listed
            .slice(0, 6)
            .map((x) => formatNumber(x, 3))
            .join(", ")}
          {listed.length > 6 ? ", …" : ""}
        </span>
        , bias <span class="number">{formatNumber(b[focused.neuron], 3)}</span>
        {value !== undefined && (
          <>
            , {probe.value ? "at the pointer" : `for case ${selectedCase.value! + 1}`}{" "}
            <span class="number">{formatNumber(value, 3)}</span>
          </>
        )}
      </>
    );
  }
  return (
    <span class="soft">
      <span class="sign negative">▬ ▬</span> negative, <span class="sign positive">▬▬▬</span> positive; wider means
      larger. {explainSquares()}
    </span>
  );
}

function explainSquares(): string {
  if (selectedCase.value !== null)
    return `Each square shows the activation of a neuron for case ${selectedCase.value + 1}.`;
  if (!state.value!.is_plane) return "Select a case to see the activation of each neuron.";
  return "Each square shows the response of a neuron over the input plane.";
}
