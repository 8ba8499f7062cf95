// The player of the training run, and its current loss and accuracy.
import { Icon } from "../../shared/icons";
import { formatNumber, toNumber, type Wire } from "../../shared/numbers";
import { Choice } from "./fields";
import { countSamples, epoch, playing, reset, setPace, snapshot, state, step, toggle } from "./room";

const PACES: [string, string][] = [
  ["slow", "1 step per second"],
  ["medium", "10 steps per second"],
  ["full", "full speed"],
];

export function percent(x: Wire | undefined): string {
  const n = toNumber(x);
  return Number.isNaN(n) ? "–" : `${Number((100 * n).toFixed(1))} %`;
}

/** The accuracy: as a count if there are few samples, otherwise in percent. */
function formatAccuracy(accuracy: Wire | undefined, isTest: boolean): string {
  const count = countSamples(isTest);
  return count > 0 && count <= 20 && Number.isFinite(toNumber(accuracy))
    ? `${Math.round(count * toNumber(accuracy))} of ${count}`
    : percent(accuracy);
}

export function Player() {
  const isPlaying = playing.value;
  const now = state.value!;
  const isEmpty = countSamples(false) === 0;
  return (
    <section class="card player" aria-label="Training">
      <div class="row buttons" role="group" aria-label="Player">
        <button
          type="button"
          class="icon"
          aria-label="Reset: start over with the same initial weights (R)"
          title="Reset: start over with the same initial weights (R)"
          onClick={() => void reset()}
        >
          <Icon name="reset" />
        </button>
        <button
          type="button"
          class="icon main big"
          aria-label={isPlaying ? "Pause (Space)" : "Play (Space)"}
          title={isPlaying ? "Pause (Space)" : "Play (Space)"}
          disabled={isEmpty}
          onClick={() => void toggle()}
        >
          <Icon name={isPlaying ? "pause" : "play"} />
        </button>
        <button type="button" title="One step: one batch (S)" disabled={isEmpty} onClick={() => void step()}>
          Step
        </button>
        <button type="button" title="One epoch: all samples once (E)" disabled={isEmpty} onClick={() => void epoch()}>
          Epoch
        </button>
      </div>
      <Progress />
      <Choice label="Speed" value={now.pace} options={PACES} onChange={(name) => void setPace(name)} />
    </section>
  );
}

function Progress() {
  const current = snapshot.value;
  return (
    <dl class="standing" aria-label="Progress">
      <Figure name="Step" value={current ? current.step.toLocaleString("en") : "0"} />
      <Figure name="Epoch" value={current ? current.epoch.toLocaleString("en") : "0"} />
      <Figure name="Training loss" value={formatNumber(current?.loss.train, 3)} id="train-loss" />
      <Figure name="Training accuracy" value={formatAccuracy(current?.accuracy.train, false)} id="train-accuracy" />
      <Figure name="Test loss" value={formatNumber(current?.loss.test, 3)} id="test-loss" />
      <Figure name="Test accuracy" value={formatAccuracy(current?.accuracy.test, true)} id="test-accuracy" />
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
