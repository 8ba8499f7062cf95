// The room Mistakes: a training run with a classic mistake next to the same run without it.
import "../../shared/plane/plane.css";
import "./mistakes.css";
import { Curves, type Line } from "../../shared/curves";
import { Icon } from "../../shared/icons";
import { formatNumber, toNumber, type Wire } from "../../shared/numbers";
import { Opening } from "../../shared/opening";
import { Norms } from "../../shared/plane/Norms";
import { HeatMap, Points } from "../../shared/plane/Plane";
import { usePresence } from "../../shared/presence";
import { Problem } from "../../shared/problem";
import type { Mistake } from "./messages";
import {
  choose,
  error,
  maps,
  mistakes,
  open,
  pause,
  play,
  playing,
  reseed,
  reset,
  setMistake,
  snapshot,
  state,
  step,
} from "./room";

const LINES: Line[] = [
  { label: "healthy", color: (of) => of.soft, dash: [5, 4] },
  { label: "with the mistake", color: (of) => of.accent, width: 2.5 },
];
// The range of the plotted loss; values beyond it are clamped.
const MIN_LOSS = 1e-4;
const MAX_LOSS = 1e4;

export function MistakesRoom() {
  usePresence({ open, playing, pause, keys: { " ": () => (playing.value ? pause() : play()), s: step, r: reset } });
  const now = state.value;
  const mistake = mistakes.value.find(({ name }) => name === now?.mistake);
  return (
    <div class="mistakes">
      <h2 class="unseen">Classic mistakes</h2>
      <Problem text={error.value} />
      <nav class="catalog" aria-label="Mistakes">
        {mistakes.value.map(({ name, title }) => (
          <button type="button" key={name} aria-pressed={name === now?.mistake} onClick={() => void choose(name)}>
            {title}
          </button>
        ))}
      </nav>
      {!error.value && !now && <Opening />}
      {now && mistake && (
        <div class="case">
          <MistakeCard mistake={mistake} isOn={now.on} />
          <BothRuns />
          <Explanation />
        </div>
      )}
    </div>
  );
}

function MistakeCard({ mistake, isOn }: { mistake: Mistake; isOn: boolean }) {
  return (
    <section class="card lines" aria-label={mistake.title}>
      <div class="row spread">
        <h3>{mistake.title}</h3>
        <button type="button" role="switch" aria-checked={isOn} class="switch" onClick={() => void setMistake(!isOn)}>
          <span class="knob" aria-hidden="true" />
          {isOn ? "Mistake active" : "Mistake fixed"}
        </button>
      </div>
      <p>{mistake.explanation}</p>
      <div class="code">
        <code class={isOn ? "now" : ""}>
          <span class="small soft">wrong</span> <span class="program">{mistake.wrong}</span>
        </code>
        <code class={isOn ? "" : "now"}>
          <span class="small soft">correct</span> <span class="program">{mistake.right}</span>
        </code>
      </div>
      <p class="small soft">
        {mistake.is_in_step
          ? "This line runs in every step, so the switch takes effect during training."
          : "This line runs when the network is created, so the switch restarts both runs."}
      </p>
    </section>
  );
}

function BothRuns() {
  const current = snapshot.value;
  const now = state.value!;
  const isOver = current !== null && current.step >= now.most;
  const label = playing.value ? "Pause (Space)" : isOver ? "Play again (Space)" : "Play (Space)";
  return (
    <section class="card both" aria-label="Both training runs">
      <div class="row spread">
        <div class="row" role="group" aria-label="Player">
          <button type="button" class="icon" aria-label="Reset (R)" title="Reset (R)" onClick={() => void reset()}>
            <Icon name="reset" />
          </button>
          <button
            type="button"
            class="icon main"
            aria-label={label}
            title={label}
            onClick={() => void (playing.value ? pause() : play())}
          >
            <Icon name={playing.value ? "pause" : "play"} />
          </button>
          <button type="button" title="One step (S)" disabled={isOver} onClick={() => void step()}>
            Step
          </button>
          <button type="button" title="New data and new weights for both runs" onClick={() => void reseed()}>
            New seed
          </button>
        </div>
        <span class="number" data-testid="mistake-step">
          step {current?.step ?? 0} of {now.most}
        </span>
      </div>
      <div class="panels">
        <Panel name="healthy" title="Healthy" />
        <Panel name="broken" title={now.on ? "With the mistake" : "Fixed"} />
      </div>
      <div class="row spread">
        <h3>Loss</h3>
        <p class="small soft key">
          <span class="stroke dashed" /> healthy <span class="stroke" /> {now.on ? "with the mistake" : "fixed"}, log
          scale
        </p>
      </div>
      <Curves
        height={150}
        lines={LINES}
        isLogarithmic
        format={power}
        label="Loss of both training runs over the steps"
        data={columns}
      />
    </section>
  );
}

const power = (x: number) => (x >= 1e-3 && x <= 1e4 ? x.toLocaleString("en") : formatNumber(x, 2));

function toPlot(x: Wire | undefined): number | null {
  const n = toNumber(x);
  if (x === undefined) return null;
  return Number.isNaN(n) ? MAX_LOSS : Math.max(MIN_LOSS, Math.min(MAX_LOSS, n));
}

/** Both curves over the union of their steps. */
function columns(): (number | null)[][] {
  const curves = snapshot.value?.curves;
  if (!curves) return [[], [], []];
  const at = (curve: { steps: number[]; loss: Wire[] }) =>
    new Map(curve.steps.map((step, i) => [step, toPlot(curve.loss[i])]));
  const [healthy, broken] = [at(curves.healthy), at(curves.broken)];
  const steps = [...new Set([...curves.healthy.steps, ...curves.broken.steps])].sort((a, b) => a - b);
  return [steps, steps.map((step) => healthy.get(step) ?? null), steps.map((step) => broken.get(step) ?? null)];
}

function Panel({ name, title }: { name: "healthy" | "broken"; title: string }) {
  const now = state.value!;
  const current = snapshot.value?.[name];
  const norms = current?.gradient_norms ?? [];
  return (
    <div class={`panel ${name}`} role="group" aria-label={title}>
      <h3>{title}</h3>
      <div class="plane">
        <HeatMap
          label={`Prediction of the network: ${title}`}
          map={() => maps[name].value && { bytes: maps[name].value.boundary, isSigned: true }}
        />
        <Points bounds={now} samples={now.samples} />
      </div>
      <dl class="numbers">
        <div>
          <dt>Loss</dt>
          <dd class="number" data-testid={`${name}-loss`}>
            {current?.stopped ? "not finite" : formatNumber(current?.loss, 3)}
          </dd>
        </div>
        <div>
          <dt>Accuracy</dt>
          <dd class="number">{current ? `${Math.round(100 * toNumber(current.accuracy))} %` : "–"}</dd>
        </div>
      </dl>
      <p class="small soft">Gradient norm by layer</p>
      <Norms of={norms} />
    </div>
  );
}

function Explanation() {
  const current = snapshot.value;
  if (!current?.story) return null;
  return (
    <section class="tale" aria-label="What happens">
      <div class="card">
        <h3>What happens</h3>
        <p data-testid="story" aria-live={current.playing ? "off" : "polite"}>
          {current.story}
        </p>
      </div>
      {current.finding && (
        <div class="callout" data-testid="finding">
          <h3>{current.finding.is_guard ? "Warning" : "How to find it"}</h3>
          <p class="small soft">
            <code>{current.finding.by}</code>
            {current.finding.is_guard ? " warns automatically:" : ":"}
          </p>
          {current.finding.is_guard ? <p>{current.finding.text}</p> : <pre tabIndex={0}>{current.finding.text}</pre>}
        </div>
      )}
    </section>
  );
}
