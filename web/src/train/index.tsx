// The room Train: data, a network, and how it learns, while one watches.
import "../plane/plane.css";
import "./train.css";
import { useEffect } from "preact/hooks";
import { watchPalette } from "../plane/palette";
import { Data } from "./Data";
import { Accuracy, Engines, Gradients, Loss } from "./Figures";
import { Network } from "./Network";
import { Output } from "./Output";
import { Player } from "./Player";
import { Settings } from "./Settings";
import { choices, epoch, error, open, pause, playing, reset, snapshot, state, step, toggle } from "./room";

const IS_TYPED = "input, select, textarea, [contenteditable]";

function keys(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches(IS_TYPED)) return;
  if (event.key === " " && target.matches("button, summary, [role=option], [role=tab]")) return;
  const doing = { " ": toggle, s: step, S: step, e: epoch, E: epoch, r: reset, R: reset }[event.key];
  if (!doing) return;
  event.preventDefault();
  void doing();
}

/** What the guards have said of this training. */
function Warnings() {
  const said = snapshot.value?.run === state.value?.run ? (snapshot.value?.warnings ?? []) : [];
  if (!said.length) return null;
  return (
    <div class="callout" role="alert">
      {said.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}

export function TrainRoom() {
  useEffect(() => {
    watchPalette();
    const leave = open();
    document.addEventListener("keydown", keys);
    return () => {
      leave();
      document.removeEventListener("keydown", keys);
      if (playing.value) void pause();
    };
  }, []);
  return (
    <div class="train">
      <h2 class="unseen">Train a network</h2>
      {error.value && (
        <p class="callout" role="alert">
          {error.value}
        </p>
      )}
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
              <Output />
              <Loss />
              <Accuracy />
            </div>
          </div>
        </>
      )}
    </div>
  );
}
