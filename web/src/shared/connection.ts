// The connection to the rooms: requests with answers, and events that the rooms push.
import { signal } from "@preact/signals";
import { createTransport } from "adjoint-transport";
import type { RoomName } from "./fragment";
import type { Progress } from "./transport";

export type Message = Record<string, unknown>;
type PendingRequest = { resolve: (result: Message) => void; reject: (error: Error) => void; key?: string };

const MAX_MESSAGE = 256 * 1024; // characters; the limit of the rooms for one message

/** The state of the connection: "open", "connecting", or a sentence that says why there is none. */
export const connection = signal<string>("connecting");
/** What happens until the connection is open, if that takes long; null if nothing is to be said. */
export const progress = signal<Progress | null>(null);

const requests = new Map<number, PendingRequest>();
const listeners = new Map<RoomName, Set<(event: Message) => void>>();
let queue: string[] = [];
let requestCount = 0;

/** Rejects a request that no room can answer because there is no connection. */
export class Disconnected extends Error {}

const transport = createTransport({
  open: () => {
    connection.value = "open";
    for (const text of queue.splice(0)) transport.send(text);
  },
  receive: (text) => receive(JSON.parse(text) as Message),
  lost: () => {
    const reason = transport.refusal() || "the connection to the lab was lost";
    const lost = [...requests.values()];
    requests.clear();
    queue = [];
    for (const { reject } of lost) reject(new Disconnected(reason));
  },
  state: (state) => {
    connection.value = state;
  },
  progress: (now) => {
    progress.value = now;
  },
});

/** Connect now, if the transport waits for the first request. */
export const connect = () => transport.start();

function receive(message: Message): void {
  if (typeof message.id !== "number") {
    for (const listener of listeners.get(message.room as RoomName) ?? []) listener(message);
    return;
  }
  const request = requests.get(message.id);
  if (!request) return;
  requests.delete(message.id);
  if (request.key) {
    for (const [id, { key }] of requests) if (key === request.key && id < message.id) requests.delete(id);
  }
  if (typeof message.error === "string") request.reject(new Error(message.error));
  else request.resolve(message.ok as Message);
}

/**
 * Send a command to a room and return its result. With `newestWins`, requests of the same command may be dropped in
 * favor of newer ones; their promises then never settle.
 */
export function ask(room: RoomName, command: string, fields: Message = {}, newestWins = false): Promise<Message> {
  return new Promise((resolve, reject) => {
    const id = ++requestCount;
    const text = JSON.stringify({ id, room, do: command, ...fields });
    const isOpen = connection.value === "open";
    if (text.length > MAX_MESSAGE) {
      reject(new Error("this message is too large for the lab (256 KB at most); send less"));
    } else if (!isOpen && transport.refusal()) {
      reject(new Disconnected(transport.refusal()));
    } else {
      requests.set(id, { resolve, reject, ...(newestWins ? { key: `${room}.${command}` } : {}) });
      if (isOpen) transport.send(text);
      else {
        queue.push(text);
        transport.start();
      }
    }
  });
}

/** Call a function after each reconnection: the rooms have lost their state by then. */
export function onReconnect(restore: () => void): void {
  let connections = 0;
  connection.subscribe((now) => {
    if (now === "open" && connections++) restore();
  });
}

/** Call `listener` with each event that a room pushes. Returns a function that unsubscribes. */
export function onEvent(room: RoomName, listener: (event: Message) => void): () => void {
  const all = listeners.get(room) ?? new Set();
  listeners.set(room, all.add(listener));
  return () => all.delete(listener);
}
