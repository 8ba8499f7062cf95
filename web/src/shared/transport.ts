// How messages get to the rooms and back: over a WebSocket to the server, or to a worker in which Python runs. Each build
// contains one of the two (see vite.config.js).

/** What a transport does before messages can be sent; `percent` is missing if it is unknown. */
export interface Progress {
  text: string;
  percent?: number;
}

/** What a transport reports. */
export interface TransportEvents {
  /** Messages can be sent. */
  open: () => void;
  receive: (text: string) => void;
  /** The rooms are gone, with everything that was asked of them. */
  lost: () => void;
  /** "connecting", or a sentence that says why there is no connection and what to do. */
  state: (state: string) => void;
  progress: (progress: Progress | null) => void;
}

export interface Transport {
  /** Connect, if that has not happened yet. */
  start: () => void;
  /** Send a message; only after `open`. */
  send: (text: string) => void;
  /** Why requests cannot be answered until the reader does something; "" if they can, or can wait. */
  refusal: () => string;
}

export type CreateTransport = (events: TransportEvents) => Transport;
