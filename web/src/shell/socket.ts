// The one connection to the engine: requests that are answered, and events that a room pushes.
import { signal } from "@preact/signals";
import { type RoomName, token } from "./fragment";

export type Message = Record<string, unknown>;
type Answer = { resolve: (found: Message) => void; reject: (error: Error) => void; key?: string };

const NO_KEY = "This address has no key. Open the one that `adjoint lab` printed in the terminal: it ends in #token=…";
const WRONG_KEY = "This page has the key of another start of the lab. Open the address that `adjoint lab` printed in the terminal: it ends in #token=…";
const NO_ANSWER = "The lab does not answer. If it was stopped, start it again with `adjoint lab` and open the address that it prints.";
const LARGEST = 256 * 1024; // what the lab takes as one message, in bytes

/** Whether the engine answers: "joined", "joining", or in words why it does not. */
export const connection = signal<string>("joining");

const answers = new Map<number, Answer>();
const hearers = new Map<RoomName, Set<(event: Message) => void>>();
let socket: WebSocket | undefined;
let waiting: string[] = [];
let count = 0;
let tries = 0;

/** What a request is answered with when there is nobody to answer it. */
export class Disconnected extends Error {}

function join(): void {
  if (socket) return;
  if (!token()) {
    connection.value = NO_KEY;
    return;
  }
  const url = new URL("socket", location.href);
  url.protocol = url.protocol.replace("http", "ws");
  url.hash = "";
  const opened = new WebSocket(url, ["adjoint", token()]);
  socket = opened;
  opened.onopen = () => {
    tries = 0;
    connection.value = "joined";
    for (const text of waiting.splice(0)) opened.send(text);
  };
  opened.onmessage = ({ data }) => hear(JSON.parse(data as string) as Message);
  opened.onclose = ({ reason }) => {
    socket = undefined;
    for (const { reject } of answers.values()) reject(new Disconnected("the connection to the lab was lost"));
    answers.clear();
    waiting = [];
    if (tries++ < 1) connection.value = "joining";
    else if (reason) connection.value = reason;
    else void reasonOf().then((why) => socket?.readyState !== WebSocket.OPEN && (connection.value = why));
    if (tries < 60) setTimeout(join, Math.min(4000, 250 * 2 ** tries));
  };
}

/** Why a socket is refused. A browser does not say it; but a lab that serves its page and no socket knows another key. */
function reasonOf(): Promise<string> {
  return fetch(location.pathname, { method: "HEAD", cache: "no-store" }).then(({ ok }) => (ok ? WRONG_KEY : NO_ANSWER), () => NO_ANSWER);
}

function hear(message: Message): void {
  if (typeof message.id !== "number") {
    for (const hearer of hearers.get(message.room as RoomName) ?? []) hearer(message);
    return;
  }
  const answer = answers.get(message.id);
  if (!answer) return;
  answers.delete(message.id);
  if (answer.key) for (const [id, earlier] of answers) if (earlier.key === answer.key && id < message.id) answers.delete(id);
  if (typeof message.error === "string") answer.reject(new Error(message.error));
  else answer.resolve(message.ok as Message);
}

/** Ask a room to do something. Of requests that are replaced by newer ones, only the newest is answered. */
export function ask(room: RoomName, doing: string, fields: Message = {}, newestWins = false): Promise<Message> {
  return new Promise((resolve, reject) => {
    const id = ++count;
    answers.set(id, { resolve, reject, ...(newestWins ? { key: `${room}.${doing}` } : {}) });
    const text = JSON.stringify({ id, room, do: doing, ...fields });
    if (text.length > LARGEST) {
      answers.delete(id);
      reject(new Error("this is more than the lab takes in at once; send less"));
    } else if (socket?.readyState === WebSocket.OPEN) socket.send(text);
    else if (token()) waiting.push(text);
    else reject(new Disconnected(NO_KEY));
  });
}

/** Call a function when the page has joined again: its rooms on the other side are new ones. */
export function onRejoin(again: () => void): void {
  let joined = 0;
  connection.subscribe((now) => {
    if (now === "joined" && joined++) again();
  });
}

/** Hear what a room pushes, until the function that is returned is called. */
export function hearFrom(room: RoomName, hearer: (event: Message) => void): () => void {
  const all = hearers.get(room) ?? new Set();
  hearers.set(room, all.add(hearer));
  return () => all.delete(hearer);
}

// Somebody opens the address with the right key in this tab: that changes the fragment, and loads nothing.
addEventListener("hashchange", () => {
  tries = 0;
  join();
});
join();
