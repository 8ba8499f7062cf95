// Figures of the run: loss and accuracy over the steps, the gradient norm of each layer, the speed of both engines.

import { Curves, type Line } from "../../shared/curves";
import { formatNumber, toNumber, type Wire } from "../../shared/numbers";
import { Norms } from "../../shared/plane/Norms";
import { percent } from "./Player";
import { compare, configuration, curves, isComparing, rates, snapshot, state } from "./room";

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
  const comparison = rates.value;
  const now = configuration.value!;
  const live = snapshot.value?.rate ?? null;
  const rateOf = (engine: string) => comparison?.[engine] ?? (engine === now.engine ? live : null);
  const fastest = Math.max(1, ...["scalar", "array"].map((engine) => rateOf(engine) ?? 0));
  const [slow, fast] = [comparison?.scalar, comparison?.array];
  return (
    <section class="card figure" aria-label="Engines">
      <div class="row spread">
        <h3>Steps per second</h3>
        <button type="button" class="small" disabled={isComparing.value} onClick={() => void compare()}>
          {isComparing.value ? "Measuring …" : "Measure both"}
        </button>
      </div>
      <ol class="norms">
        {["scalar", "array"].map((engine) => (
          <li key={engine}>
            <span class="small">{engine}</span>
            <span class="track">
              <span style={{ width: `${(100 * (rateOf(engine) ?? 0)) / fastest}%` }} />
            </span>
            <span class="number" data-testid={`rate-${engine}`}>
              {rateOf(engine) ? Math.round(rateOf(engine)!).toLocaleString("en") : "–"}
            </span>
          </li>
        ))}
      </ol>
      <p class="small soft">
        {slow && fast
          ? explainRates(slow, fast)
          : "The scalar engine creates one Value per number, the array engine one per layer. Both compute the same gradients."}
      </p>
    </section>
  );
}

function explainRates(slow: number, fast: number): string {
  const size = `With ${state.value!.parameters.toLocaleString("en")} parameters and this batch size`;
  if (fast >= slow)
    return `${size}, the array engine is ${formatNumber(fast / slow, 2)} times as fast: it computes the same gradients in a few large operations.`;
  return `${size}, the scalar engine is ${formatNumber(slow / fast, 2)} times as fast: the fixed cost of each array operation dominates.`;
}
