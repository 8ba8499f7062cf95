// The room Mistakes: a training with a classic mistake beside the same one without it.
import "../../shared/plane/plane.css";
import "./mistakes.css";
import { Curves, type Line } from "../../shared/curves";
import { Icon } from "../../shared/icons";
import { toNumber, type Wire, formatNumber } from "../../shared/numbers";
import { Norms } from "../../shared/plane/Norms";
import { HeatMap, Points } from "../../shared/plane/Plane";
import { usePresence } from "../../shared/presence";
import {
  choose,
  error,
  type Mistake,
  mistakes,
  open,
  pause,
  play,
  playing,
  reseed,
  reset,
  snapshot,
  state,
  step,
  turn,
} from "./room";

const LINES: Line[] = [
  { label: "healthy", color: (of) => of.soft, dash: [5, 4] },
  { label: "with the mistake", color: (of) => of.accent, width: 2.5 },
];
const LEAST = 1e-4,
  MOST = 1e4; // of a loss that is drawn; what is beyond stays at the edge

export function MistakesRoom() {
  usePresence({ open, playing, pause, keys: { " ": () => (playing.value ? pause() : play()), s: step, r: reset } });
  const now = state.value;
  const mistake = mistakes.value.find(({ name }) => name === now?.mistake);
  return (
    <div class="mistakes">
      <h2 class="unseen">Classic mistakes</h2>
      {error.value && (
        <p class="callout" role="alert">
          {error.value}
        </p>
      )}
      <nav class="catalogue" aria-label="Mistakes">
        {mistakes.value.map(({ name, title }) => (
          <button key={name} aria-pressed={name === now?.mistake} onClick={() => void choose(name)}>
            {title}
          </button>
        ))}
      </nav>
      {now && mistake && (
        <div class="case">
          <Lines mistake={mistake} isOn={now.on} />
          <Both />
          <Explanation />
        </div>
      )}
    </div>
  );
}

function Lines({ mistake, isOn }: { mistake: Mistake; isOn: boolean }) {
  return (
    <section class="card lines" aria-label={mistake.title}>
      <div class="row spread">
        <h3>{mistake.title}</h3>
        <button role="switch" aria-checked={isOn} class="switch" onClick={() => void turn(!isOn)}>
          <span class="knob" aria-hidden="true" />
          {isOn ? "the mistake is in" : "the mistake is mended"}
        </button>
      </div>
      <p>{mistake.explanation}</p>
      <div class="code">
        <code class={isOn ? "now" : ""}>
          <span class="small soft">wrong</span> {mistake.wrong}
        </code>
        <code class={isOn ? "" : "now"}>
          <span class="small soft">right</span> {mistake.right}
        </code>
      </div>
      <p class="small soft">
        {mistake.is_in_step
          ? "This line runs in each step: the switch changes the training while it runs."
          : "This line ran when the network was made: the switch begins both trainings anew."}
      </p>
    </section>
  );
}

function Both() {
  const seen = snapshot.value;
  const now = state.value!;
  const isOver = seen !== null && seen.step >= now.most;
  const label = playing.value ? "Pause (Space)" : isOver ? "Play again (Space)" : "Play (Space)";
  return (
    <section class="card both" aria-label="Both trainings">
      <div class="row spread">
        <div class="row" role="group" aria-label="Player">
          <button class="icon" aria-label="Reset (R)" title="Reset (R)" onClick={() => void reset()}>
            <Icon name="reset" />
          </button>
          <button
            class="icon main"
            aria-label={label}
            title={label}
            onClick={() => void (playing.value ? pause() : play())}
          >
            <Icon name={playing.value ? "pause" : "play"} />
          </button>
          <button title="One step (S)" disabled={isOver} onClick={() => void step()}>
            Step
          </button>
          <button title="Other data and other weights for both" onClick={() => void reseed()}>
            Other seed
          </button>
        </div>
        <span class="number" data-testid="mistake-step">
          step {seen?.step ?? 0} of {now.most}
        </span>
      </div>
      <div class="panels">
        <Panel name="healthy" title="Healthy" />
        <Panel name="broken" title={now.on ? "With the mistake" : "Mended"} />
      </div>
      <div class="row spread">
        <h3>Loss</h3>
        <p class="small soft key">
          <span class="stroke dashed" /> healthy <span class="stroke" /> {now.on ? "with the mistake" : "mended"}, log
          scale
        </p>
      </div>
      <Curves
        height={150}
        lines={LINES}
        isLogarithmic
        format={power}
        label="The loss of both trainings over the steps"
        data={columns}
      />
    </section>
  );
}

const power = (x: number) => (x >= 1e-3 && x <= 1e4 ? x.toLocaleString("en") : formatNumber(x, 2));

function toPlot(x: Wire | undefined): number | null {
  const n = toNumber(x);
  if (x === undefined) return null;
  return Number.isNaN(n) ? MOST : Math.max(LEAST, Math.min(MOST, n));
}

/** Both curves over the steps of the longer one. */
function columns(): (number | null)[][] {
  const found = snapshot.value?.curves;
  if (!found) return [[], [], []];
  const at = (curve: { steps: number[]; loss: Wire[] }) =>
    new Map(curve.steps.map((step, i) => [step, toPlot(curve.loss[i])]));
  const [healthy, broken] = [at(found.healthy), at(found.broken)];
  const steps = [...new Set([...found.healthy.steps, ...found.broken.steps])].sort((a, b) => a - b);
  return [steps, steps.map((step) => healthy.get(step) ?? null), steps.map((step) => broken.get(step) ?? null)];
}

function Panel({ name, title }: { name: "healthy" | "broken"; title: string }) {
  const now = state.value!;
  const seen = snapshot.value?.[name];
  const norms = seen?.gradient_norms ?? [];
  return (
    <div class={`panel ${name}`} role="group" aria-label={title}>
      <h3>{title}</h3>
      <div class="plane">
        <HeatMap
          label={`What the network says: ${title}`}
          map={() => (snapshot.value ? { text: snapshot.value[name].boundary, isSigned: true } : null)}
        />
        <Points bounds={now} samples={now.samples} />
      </div>
      <dl class="numbers">
        <div>
          <dt>Loss</dt>
          <dd class="number" data-testid={`${name}-loss`}>
            {seen?.stopped ? "not finite" : formatNumber(seen?.loss, 3)}
          </dd>
        </div>
        <div>
          <dt>Right</dt>
          <dd class="number">{seen ? `${Math.round(100 * toNumber(seen.accuracy))} %` : "–"}</dd>
        </div>
      </dl>
      <p class="small soft">Gradient of each layer</p>
      <Norms of={norms} />
    </div>
  );
}

function Explanation() {
  const seen = snapshot.value;
  if (!seen?.story) return null;
  return (
    <section class="tale" aria-label="What happens">
      <div class="card">
        <h3>What happens</h3>
        <p data-testid="story" aria-live={seen.playing ? "off" : "polite"}>
          {seen.story}
        </p>
      </div>
      {seen.finding && (
        <div class="callout" data-testid="finding">
          <h3>{seen.finding.is_guard ? "A guard has spoken" : "What finds it"}</h3>
          <p class="small soft">
            <code>{seen.finding.by}</code> {seen.finding.is_guard ? "warns by itself:" : "says:"}
          </p>
          {seen.finding.is_guard ? <p>{seen.finding.text}</p> : <pre tabIndex={0}>{seen.finding.text}</pre>}
        </div>
      )}
    </section>
  );
}
