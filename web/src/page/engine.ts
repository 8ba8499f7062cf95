// The messages of the worker in which the rooms run. Texts are the messages of the lab, as over a WebSocket.

export interface EngineProgress {
  kind: "progress";
  text: string;
  percent?: number;
}

export type FromEngine =
  | string
  | EngineProgress
  | { kind: "ready" }
  /** Python could not be started, or has stopped; the text says what to do. */
  | { kind: "failure"; text: string };
