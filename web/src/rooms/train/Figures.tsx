// How it goes in numbers: loss and accuracy over the steps, the gradient of each layer, the speed of both engines.

import { Curves, type Line } from "../../shared/curves";
import { toNumber, type Wire, formatNumber } from "../../shared/numbers";
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
      <Curves
        height={128}
        lines={LINES}
        label="Loss over the steps, on the samples to train on and to test with"
        data={() => columns("loss")}
      />
    </section>
  );
}

export function Accuracy() {
  return (
    <section class="card figure" aria-label="Accuracy">
      <Heading>Samples right</Heading>
      <Curves
        height={128}
        lines={LINES}
        range={[0, 1.02]}
        format={(x) => percent(x)}
        label="The part of the samples that are right, over the steps"
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
  const found = curves.value;
  if (!found) return [[], [], []];
  return [found.steps, found[`train_${what}`].map(toPlot), found[`test_${what}`].map(toPlot)];
}

export function Gradients() {
  const norms = snapshot.value?.gradient_norms ?? [];
  return (
    <section class="card figure" aria-label="Gradients">
      <div class="row spread">
        <h3>Gradient of each layer</h3>
        <p class="small soft">length, log scale</p>
      </div>
      <Norms of={norms} />
    </section>
  );
}

export function Engines() {
  const measured = rates.value;
  const now = configuration.value!;
  const live = snapshot.value?.rate ?? null;
  const shown = (engine: string) => measured?.[engine] ?? (engine === now.engine ? live : null);
  const most = Math.max(1, ...["scalar", "array"].map((engine) => shown(engine) ?? 0));
  const [slow, fast] = [measured?.scalar, measured?.array];
  return (
    <section class="card figure" aria-label="Engines">
      <div class="row spread">
        <h3>Steps a second</h3>
        <button class="small" disabled={isComparing.value} onClick={() => void compare()}>
          {isComparing.value ? "Measuring …" : "Measure both"}
        </button>
      </div>
      <ol class="norms">
        {["scalar", "array"].map((engine) => (
          <li key={engine}>
            <span class="small">{engine}</span>
            <span class="track">
              <span style={{ width: `${(100 * (shown(engine) ?? 0)) / most}%` }} />
            </span>
            <span class="number" data-testid={`rate-${engine}`}>
              {shown(engine) ? Math.round(shown(engine)!).toLocaleString("en") : "–"}
            </span>
          </li>
        ))}
      </ol>
      <p class="small soft">
        {slow && fast
          ? lesson(slow, fast)
          : "The scalar engine makes a Value for every number, the array engine one for every layer. Both give the same gradients."}
      </p>
    </section>
  );
}

function lesson(slow: number, fast: number): string {
  const size = `With ${state.value!.parameters.toLocaleString("en")} parameters and this batch`;
  if (fast >= slow)
    return `${size}, arrays are ${formatNumber(fast / slow, 2)} times as fast: the same gradients, in a few large operations.`;
  return `${size}, single numbers are ${formatNumber(slow / fast, 2)} times as fast: an operation on arrays has its price, however little there is to do.`;
}
