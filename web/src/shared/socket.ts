// The WebSocket connection to the server: requests with answers, and events that the rooms push.
import { signal } from "@preact/signals";
import { type RoomName, token } from "./fragment";

export type Message = Record<string, unknown>;
type PendingRequest = { resolve: (result: Message) => void; reject: (error: Error) => void; key?: string };

const NO_TOKEN =
  "This address has no token. Open the address that `adjoint lab` printed in the terminal: it ends in #token=…";
const WRONG_TOKEN =
  "This page has the token of an earlier lab. Open the address that `adjoint lab` printed in the terminal: it ends in #token=…";
const NO_ANSWER =
  "The lab does not answer. If it was stopped, start it again with `adjoint lab` and open the address that it prints.";
const MAX_MESSAGE = 256 * 1024; // characters; the server's limit for one message
const MAX_ATTEMPTS = 60;

/** The state of the connection: "open", "connecting", or a sentence that says why there is none. */
export const connection = signal<string>("connecting");

const requests = new Map<number, PendingRequest>();
const listeners = new Map<RoomName, Set<(event: Message) => void>>();
let socket: WebSocket | undefined;
let queue: string[] = [];
let requestCount = 0;
let attempts = 0;

/** Rejects a request that the server cannot answer because there is no connection. */
export class Disconnected extends Error {}

function connect(): void {
  if (socket) return;
  if (!token()) {
    connection.value = NO_TOKEN;
    return;
  }
  const url = new URL("socket", location.href);
  url.protocol = url.protocol.replace("http", "ws");
  url.hash = "";
  const opening = new WebSocket(url, ["adjoint", token()]);
  socket = opening;
  opening.onopen = () => {
    attempts = 0;
    connection.value = "open";
    for (const text of queue.splice(0)) opening.send(text);
  };
  opening.onmessage = ({ data }) => receive(JSON.parse(data as string) as Message);
  opening.onclose = ({ reason }) => {
    socket = undefined;
    for (const { reject } of requests.values()) reject(new Disconnected("the connection to the lab was lost"));
    requests.clear();
    queue = [];
    attempts += 1;
    if (attempts === 1) connection.value = "connecting";
    else if (reason) connection.value = reason;
    else void reportRefusal();
    if (attempts < MAX_ATTEMPTS) setTimeout(connect, Math.min(4000, 250 * 2 ** attempts));
  };
}

/** Say why the socket was refused. Browsers hide the reason; but a lab that serves the page has another token. */
async function reportRefusal(): Promise<void> {
  const reason = await fetch(location.pathname, { method: "HEAD", cache: "no-store" }).then(
    ({ ok }) => (ok ? WRONG_TOKEN : NO_ANSWER),
    () => NO_ANSWER,
  );
  if (socket?.readyState !== WebSocket.OPEN) connection.value = reason;
}

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
    const isOpen = socket?.readyState === WebSocket.OPEN;
    if (text.length > MAX_MESSAGE) {
      reject(new Error("this message is too large for the lab (256 KB at most); send less"));
    } else if (!isOpen && !token()) {
      reject(new Disconnected(NO_TOKEN));
    } else {
      requests.set(id, { resolve, reject, ...(newestWins ? { key: `${room}.${command}` } : {}) });
      if (isOpen) socket?.send(text);
      else queue.push(text);
    }
  });
}

/** Call a function after each reconnection: the rooms on the server have lost their state by then. */
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

// Opening the address with the right token in this tab changes only the fragment and reloads nothing.
addEventListener("hashchange", () => {
  attempts = 0;
  connect();
});
connect();
