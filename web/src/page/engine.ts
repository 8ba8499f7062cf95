// The messages of the two workers in which Python runs.

export interface EngineProgress {
  kind: "progress";
  text: string;
  percent?: number;
}

/** From the worker in which the rooms run. Texts are the messages of the lab, as over a WebSocket. */
export type FromEngine =
  | string
  | EngineProgress
  | { kind: "ready" }
  /** Python could not be started, or has stopped; the text says what to do. */
  | { kind: "failure"; text: string };

/** From the worker that checks programs. */
export type FromCheck =
  | { kind: "ready" }
  | { kind: "failure"; text: string }
  | { kind: "printed"; text: string }
  /** The result of a check, and whether the program has changed Python, as JSON. */
  | { kind: "report"; text: string }
  /** The program ended Python before the check was finished. */
  | { kind: "end"; exit?: number; crash?: string };
