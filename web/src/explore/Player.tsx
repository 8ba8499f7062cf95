// The player of the steps: buttons, a slider, and the text of the current step.
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../shared/icons";
import { Formula, sidesOf } from "../shared/math";
import { memo } from "./memo";
import type { Step } from "./model";
import { describeStep, SPEEDS } from "./progress";

interface Props {
  /** The number of forward steps, and of all steps. */
  forward: number;
  last: number;
  at: number;
  playing: boolean;
  speed: number;
  onGo: (at: number) => void;
  onStep: (by: number) => void;
  onPlay: () => void;
  onSpeed: (speed: number) => void;
}

export const Player = memo(({ forward, last, at, playing, speed, onGo, onStep, onPlay, onSpeed }: Props) => {
  return (
    <div class="player">
      <div class="row" role="group" aria-label="Player">
        <button
          type="button"
          class="icon"
          aria-label="Back to the start (R)"
          title="Back to the start (R)"
          onClick={() => onGo(0)}
          aria-disabled={at === 0}
        >
          <Icon name="reset" />
        </button>
        <button
          type="button"
          class="icon"
          aria-label="One step back (←)"
          title="One step back (←)"
          onClick={() => onStep(-1)}
          aria-disabled={at === 0}
        >
          <Icon name="back" />
        </button>
        <button
          type="button"
          class="icon main"
          aria-label={playing ? "Pause (Space)" : "Play (Space)"}
          title={playing ? "Pause (Space)" : "Play (Space)"}
          onClick={onPlay}
          aria-disabled={last === 0}
        >
          <Icon name={playing ? "pause" : "play"} />
        </button>
        <button
          type="button"
          class="icon"
          aria-label="One step forward (→)"
          title="One step forward (→)"
          onClick={() => onStep(1)}
          aria-disabled={at === last}
        >
          <Icon name="forward" />
        </button>
        <button
          type="button"
          class="icon"
          aria-label="Jump to the end (End)"
          title="Jump to the end (End)"
          onClick={() => onGo(last)}
          aria-disabled={at === last}
        >
          <Icon name="end" />
        </button>
      </div>
      <div class="scrub">
        <input
          type="range"
          min={0}
          max={last}
          step={1}
          value={String(at)}
          aria-label="Step"
          aria-valuetext={describeStep(forward, last, at)}
          onInput={(event) => onGo(Number(event.currentTarget.value))}
        />
        <div class="phases small soft" aria-hidden="true">
          <span style={{ flexGrow: forward }}>forward</span>
          <span style={{ flexGrow: Math.max(0, last - forward) }}>backward</span>
        </div>
      </div>
      <span class="small soft place">{describeStep(forward, last, at)}</span>
      <label class="row small soft">
        speed
        <select value={String(speed)} onChange={(event) => onSpeed(Number(event.currentTarget.value))}>
          {SPEEDS.map((x) => (
            <option key={x} value={String(x)}>
              {`${x}×`}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
});

const INTRODUCTION =
  "The inputs are given. Press Play, or → for one step. The forward pass computes each operation, then the backward pass applies the chain rule from the result to the inputs.";

interface SentenceProps {
  step: Step | null;
  at: number;
  isOutdated: boolean;
}

const PATIENCE = 300; // milliseconds in which an outdated text stays; the engine's new one usually arrives within a frame

export const Sentence = memo(({ step, at, isOutdated }: SentenceProps) => {
  const [isHidden, setHidden] = useState(false);
  useEffect(() => {
    if (!isOutdated) return setHidden(false);
    const timer = setTimeout(() => setHidden(true), PATIENCE);
    return () => clearTimeout(timer);
  }, [isOutdated]);
  const heading =
    step === null
      ? "Start"
      : { forward: "Forward", seed: "Backward begins", backward: "Backward", hook: "Hook" }[step.phase];
  return (
    <div class={`sentence ${step?.phase ?? "begin"} ${isHidden && step ? "outdated" : ""}`}>
      <h3>{step === null ? heading : `${heading} · step ${at}`}</h3>
      {step?.math && (
        <div class="formula" role="math" aria-label={step.text}>
          {sidesOf(step.math).map((side, i) => (
            <Formula key={i} of={side} />
          ))}
        </div>
      )}
      <p class={step ? "number step-text" : "soft"} aria-live="polite" data-testid="step-text">
        {step?.text ?? INTRODUCTION}
      </p>
    </div>
  );
});
