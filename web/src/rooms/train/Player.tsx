// Play, step, epoch, reset; and where the training stands.
import { Icon } from "../../shared/icons";
import { toNumber, type Wire, formatNumber } from "../../shared/numbers";
import { Choice } from "./fields";
import { epoch, pace, playing, reset, snapshot, state, step, toggle } from "./room";

const PACES: [string, string][] = [
  ["slow", "1 step a second"],
  ["medium", "10 steps a second"],
  ["full", "as fast as it goes"],
];

export function percent(x: Wire | undefined): string {
  const n = toNumber(x);
  return Number.isNaN(n) ? "–" : `${Number((100 * n).toFixed(1))} %`;
}

/** How many samples are right: of a few in numbers, of many in percent. */
function right(part: Wire | undefined, isTest: boolean): string {
  const count = state.value!.samples.filter((sample) => sample[3] === isTest).length;
  return count > 0 && count <= 20 && Number.isFinite(toNumber(part))
    ? `${Math.round(count * toNumber(part))} of ${count}`
    : percent(part);
}

export function Player() {
  const isPlaying = playing.value;
  const now = state.value!;
  const nothing = now.samples.every((sample) => sample[3]);
  return (
    <section class="card player" aria-label="Training">
      <div class="row buttons" role="group" aria-label="Player">
        <button
          class="icon"
          aria-label="Reset: begin anew with the same weights (R)"
          title="Reset: begin anew with the same weights (R)"
          onClick={() => void reset()}
        >
          <Icon name="reset" />
        </button>
        <button
          class="icon main big"
          aria-label={isPlaying ? "Pause (Space)" : "Play (Space)"}
          title={isPlaying ? "Pause (Space)" : "Play (Space)"}
          disabled={nothing}
          onClick={() => void toggle()}
        >
          <Icon name={isPlaying ? "pause" : "play"} />
        </button>
        <button title="One step: one batch (S)" disabled={nothing} onClick={() => void step()}>
          Step
        </button>
        <button title="One epoch: all samples once (E)" disabled={nothing} onClick={() => void epoch()}>
          Epoch
        </button>
      </div>
      <Standing />
      <Choice label="Speed" value={now.pace} options={PACES} onChange={(name) => void pace(name)} />
    </section>
  );
}

function Standing() {
  const seen = snapshot.value;
  return (
    <dl class="standing" aria-label="Standing">
      <Figure name="Step" value={seen ? seen.step.toLocaleString("en") : "0"} />
      <Figure name="Epoch" value={seen ? seen.epoch.toLocaleString("en") : "0"} />
      <Figure name="Training loss" value={formatNumber(seen?.loss.train, 3)} id="train-loss" />
      <Figure name="Training right" value={right(seen?.accuracy.train, false)} id="train-right" />
      <Figure name="Test loss" value={formatNumber(seen?.loss.test, 3)} id="test-loss" />
      <Figure name="Test right" value={right(seen?.accuracy.test, true)} id="test-right" />
    </dl>
  );
}

function Figure({ name, value, id }: { name: string; value: string; id?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number" data-testid={id}>
        {value}
      </dd>
    </div>
  );
}
