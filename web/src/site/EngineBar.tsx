// The notices of the static site: the progress of the engine, and a new version of the site.
import { room } from "../shared/fragment";
import { describeProgress, engineProgress, shareOf } from "./progress";
import { hasNewVersion, loadNewVersion } from "./updates";

export function EngineBar() {
  const progress = engineProgress.value;
  const { stage } = progress;
  // In rooms the notice disappears when the engine is ready; the start page keeps it.
  const isShown = stage !== "waiting" && (stage !== "ready" || room.value === "start");
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
      {isShown && (
        <div class={`engine ${stage}`}>
          {stage === "failed" ? (
            <p class="callout" role="alert">
              {describeProgress(progress)}
            </p>
          ) : (
            <>
              <span class="small" role="status">
                {describeProgress(progress)}
              </span>
              {stage !== "ready" && (
                <progress max={1} value={shareOf(progress)} aria-label="Progress of loading Python" />
              )}
            </>
          )}
        </div>
      )}
    </>
  );
}
