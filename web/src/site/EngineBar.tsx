// The notices of the static site: the progress of the engine, and a new version of the site.
import { connection, progress } from "../shared/connection";
import { room } from "../shared/fragment";
import { hasNewVersion, loadNewVersion } from "./updates";

const READY = "Ready: everything here runs in your browser";

export function EngineBar() {
  const { text, percent } = progress.value ?? { text: "" };
  // In rooms the notice disappears when the engine is ready; the start page keeps it.
  const isReady = connection.value === "open" && room.value === "start";
  // These show graphs before the engine is ready. The other rooms are empty until then, and say why.
  const isUsable = room.value === "start" || room.value === "explore";
  return (
    <>
      {hasNewVersion.value && (
        <div class="notice">
          <p class="callout row spread" role="status">
            A new version is available. It opens at your next visit.
            <button type="button" onClick={loadNewVersion}>
              Load it now
            </button>
          </p>
        </div>
      )}
      {(text || isReady) && (
        <div class={`engine ${isReady ? "ready" : isUsable ? "" : "card"}`}>
          {!isUsable && (
            <p>
              This room opens as soon as Python has started. Python runs in this page: nothing is installed or sent.
            </p>
          )}
          <span class="small" role="status">
            {isReady ? READY : text}
          </span>
          {!isReady && <progress max={100} value={percent} aria-label="Progress of loading Python" />}
        </div>
      )}
    </>
  );
}
