// The room Train: data, a network, and its training run.
import "../../shared/plane/plane.css";
import "./train.css";
import { Opening } from "../../shared/opening";
import { usePresence } from "../../shared/presence";
import { Problem } from "../../shared/problem";
import { Cases } from "./Cases";
import { Data } from "./Data";
import { Accuracy, Engines, Gradients, Loss } from "./Figures";
import { Network } from "./Network";
import { Output } from "./Output";
import { Player } from "./Player";
import { choices, epoch, error, open, pause, playing, reset, snapshot, state, step, toggle } from "./room";
import { Settings } from "./Settings";

/** The warnings of the current run. */
function Warnings() {
  const warnings = snapshot.value?.run === state.value?.run ? (snapshot.value?.warnings ?? []) : [];
  if (!warnings.length) return null;
  return (
    <div class="callout" role="alert">
      {warnings.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}

export function TrainRoom() {
  usePresence({ open, playing, pause, keys: { " ": toggle, s: step, e: epoch, r: reset } });
  return (
    <div class="train">
      <h2 class="unseen">Train a network</h2>
      <Problem text={error.value} />
      {!error.value && !(choices.value && state.value) && <Opening />}
      {choices.value && state.value && (
        <>
          <Data />
          <Player />
          <Warnings />
          <div class="bench">
            <div class="left">
              <Network />
              <Settings />
              <div class="figures">
                <Gradients />
                <Engines />
              </div>
            </div>
            <div class="right">
              <Cases />
              {state.value.is_plane && <Output />}
              <Loss />
              <Accuracy />
            </div>
          </div>
        </>
      )}
    </div>
  );
}
