// Figures of the run: loss and accuracy over the steps, the gradient norm of each layer, the speed of the engines.

import { Curves, type Line } from "../../shared/curves";
import { formatNumber, toNumber, type Wire } from "../../shared/numbers";
import { Norms } from "../../shared/plane/Norms";
import type { Speed } from "./messages";
import { percent } from "./Player";
import { choices, compare, curves, isComparing, type Rates, rates, snapshot, state } from "./room";

const LINES: Line[] = [
  { label: "training", color: (of) => of.accent },
  { label: "test", color: (of) => of.soft, dash: [5, 4] },
];

const toPlot = (x: Wire): number | null => (Number.isFinite(toNumber(x)) ? toNumber(x) : null);

export function Loss() {
  return (
    <section class="card figure" aria-label="Loss">
      <Heading>Loss</Heading>
      <Curves height={128} lines={LINES} label="Training and test loss over the steps" data={() => columns("loss")} />
    </section>
  );
}

export function Accuracy() {
  return (
    <section class="card figure" aria-label="Accuracy">
      <Heading>Accuracy</Heading>
      <Curves
        height={128}
        lines={LINES}
        range={[0, 1.02]}
        format={(x) => percent(x)}
        label="Training and test accuracy over the steps"
        data={() => columns("accuracy")}
      />
    </section>
  );
}

function Heading({ children }: { children: string }) {
  return (
    <div class="row spread">
      <h3>{children}</h3>
      <p class="small soft key">
        <span class="stroke" /> training <span class="stroke dashed" /> test
      </p>
    </div>
  );
}

function columns(what: "loss" | "accuracy"): (number | null)[][] {
  const current = curves.value;
  if (!current) return [[], [], []];
  return [current.steps, current[`train_${what}`].map(toPlot), current[`test_${what}`].map(toPlot)];
}

export function Gradients() {
  const norms = snapshot.value?.gradient_norms ?? [];
  return (
    <section class="card figure" aria-label="Gradients">
      <div class="row spread">
        <h3>Gradient norm by layer</h3>
        <p class="small soft">log scale</p>
      </div>
      <Norms of={norms} />
    </section>
  );
}

export function Engines() {
  const measured = rates.value;
  const engines = choices.value!.engines;
  const current = snapshot.value;
  const rateOf = (engine: string) =>
    measured?.[engine]?.rate ?? (engine === state.value!.engine ? (current?.rate ?? null) : null);
  const fastest = Math.max(1, ...engines.map((engine) => rateOf(engine) ?? 0));
  return (
    <section class="card figure" aria-label="Engines">
      <div class="row spread">
        <h3>Steps per second</h3>
        <button type="button" class="small" disabled={isComparing.value} onClick={() => void compare()}>
          {isComparing.value ? "Measuring …" : "Measure all"}
        </button>
      </div>
      <ol class="norms">
        {engines.map((engine) => (
          <li key={engine}>
            <span class="small">{engine}</span>
            <span class="track">
              <span style={{ width: `${(100 * (rateOf(engine) ?? 0)) / fastest}%` }} />
            </span>
            <span class="number" data-testid={`rate-${engine}`}>
              {formatRate(rateOf(engine))}
            </span>
          </li>
        ))}
      </ol>
      <p class="small soft">{(measured && explainRates(measured)) ?? explainEngines(current?.compile_seconds ?? 0)}</p>
    </section>
  );
}

/** Steps per second; slow engines have a decimal. */
function formatRate(rate: number | null): string {
  if (!rate) return "–";
  return rate < 10 ? formatNumber(rate, 2) : Math.round(rate).toLocaleString("en");
}

function explainEngines(compileSeconds: number): string {
  const hasArrays = choices.value!.engines.includes("array");
  return [
    `The scalar engine creates one Value per operation${hasArrays ? ", the array engine one per layer" : ""}.`,
    "The compiled engine records the scalar operations once and replays them without creating Values.",
    ...(compileSeconds ? [`Compiling took ${formatDuration(compileSeconds)}.`] : []),
    `${hasArrays ? "All" : "Both"} compute the same gradients.`,
  ].join(" ");
}

/** What the measured speeds mean; null if the network is too large for scalar Values. */
function explainRates({ scalar, compiled, array }: Rates): string | null {
  if (!scalar || !compiled) return null;
  const times = (fast: Speed, slow: Speed) => `${formatNumber(fast.rate / slow.rate, 2)} times as fast as`;
  const steps = Math.max(1, Math.round(compiled.compile_seconds * scalar.rate)).toLocaleString("en");
  const others = !array
    ? "."
    : compiled.rate < array.rate
      ? `, and the array engine is ${times(array, compiled)} the compiled one.`
      : ` and ${times(compiled, array)} the array engine.`;
  return [
    `With ${state.value!.parameters.toLocaleString("en")} parameters and this batch size, the compiled engine is `,
    `${times(compiled, scalar)} the scalar engine${others}`,
    ` Compiling took ${formatDuration(compiled.compile_seconds)}, as long as ${steps} scalar`,
    ` step${steps === "1" ? "" : "s"}.`,
  ].join("");
}

/** A duration of at most a few seconds. */
function formatDuration(seconds: number): string {
  return seconds < 1 ? `${formatNumber(1000 * seconds, 2)} ms` : `${formatNumber(seconds, 2)} s`;
}
