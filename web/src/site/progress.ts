// What the engine of the static site is doing, in words and as a share. The engine's worker reports it.
import { signal } from "@preact/signals";

export interface EngineProgress {
  stage: "waiting" | "downloading" | "starting" | "loading" | "ready" | "failed";
  /** Bytes while downloading. */
  loaded?: number;
  total?: number;
  /** What to do, if the engine failed. */
  problem?: string;
}

export const engineProgress = signal<EngineProgress>({ stage: "waiting" });

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

/** The progress in words. */
export function describeProgress({ stage, loaded = 0, total = 0, problem = "" }: EngineProgress): string {
  switch (stage) {
    case "waiting":
      return "Python is loaded when it is needed";
    case "downloading":
      return total ? `Downloading Python, ${megabytes(loaded)} of ${megabytes(total)} MB` : "Downloading Python";
    case "starting":
      return "Starting Python";
    case "loading":
      return "Loading adjoint";
    case "ready":
      return "Ready: everything here runs in your browser";
    case "failed":
      return problem;
  }
}

/** The share of the way to "ready": most of it is the download. */
export function shareOf({ stage, loaded = 0, total = 0 }: EngineProgress): number {
  if (stage === "downloading") return total ? 0.7 * Math.min(1, loaded / total) : 0;
  return { waiting: 0, starting: 0.75, loading: 0.9, ready: 1, failed: 0 }[stage];
}
