// The notices of the static site: the progress of the engine, and a new version of the site.
import { connection, progress } from "../shared/connection";
import { room } from "../shared/fragment";
import { hasNewVersion, loadNewVersion } from "./updates";

const READY = "Ready: everything here runs in your browser";

export function EngineBar() {
  const { text, percent } = progress.value ?? { text: "" };
  // In rooms the notice disappears when the engine is ready; the start page keeps it.
  const isReady = connection.value === "open" && room.value === "start";
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
        <div class={`engine ${isReady ? "ready" : ""}`}>
          <span class="small" role="status">
            {isReady ? READY : text}
          </span>
          {!isReady && <progress max={100} value={percent} aria-label="Progress of loading Python" />}
        </div>
      )}
    </>
  );
}
