// The state of the page in the fragment of its address: #explore?e=a*b&a=2. What a person shares is what they see. The
// key of the lab comes in by the fragment as well, once; it is kept for this address and taken out of sight.
import { signal } from "@preact/signals";

export const ROOMS = ["explore", "train", "mistakes", "quiz"] as const;
export type RoomName = (typeof ROOMS)[number];

const KEY = "adjoint.lab.token";
export const room = signal<RoomName>("explore");
const states = new Map<RoomName, URLSearchParams>();
const listeners = new Map<RoomName, (state: URLSearchParams) => void>();

export function token(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

function read(): void {
  const text = location.hash.slice(1);
  const [head = "", query = ""] = text.includes("?") || !text.includes("=") ? splitOnce(text) : ["", text];
  const given = new URLSearchParams(query);
  const key = given.get("token");
  if (key) {
    given.delete("token");
    try {
      localStorage.setItem(KEY, key);
    } catch {
      // private windows may keep nothing; the page then says that the key is missing
    }
  }
  const named = ROOMS.find((name) => name === head) ?? room.value;
  if (ROOMS.includes(head as RoomName) || [...given.keys()].length) states.set(named, given);
  room.value = named;
  if (key) write();
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf("?");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

// A browser takes long to change its address, and refuses to do it too often: while a slider moves, it waits.
const PATIENCE = 250;
let soon: ReturnType<typeof setTimeout> | undefined;

function write(): void {
  clearTimeout(soon);
  soon = undefined;
  const query = states.get(room.value)?.toString() ?? "";
  // Brackets, commas and the like are safe in a fragment, and read better as they are.
  const shown = query.replace(/%28/g, "(").replace(/%29/g, ")").replace(/%2C/g, ",").replace(/%2F/g, "/").replace(/\*/g, "*");
  const hash = `#${room.value}${shown ? `?${shown}` : ""}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

export function enter(name: RoomName, state?: URLSearchParams): void {
  if (soon) write();
  if (state) {
    states.set(name, state);
    listeners.get(name)?.(state);
  }
  if (room.value !== name) history.pushState(null, "", `#${name}`);
  room.value = name;
  write();
}

/** What the address says of a room when the page is opened. */
export function stateOf(name: RoomName): URLSearchParams {
  return states.get(name) ?? new URLSearchParams();
}

/** Write what a room shows into the address. */
export function keep(name: RoomName, state: Record<string, string | number | undefined>): void {
  const written = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) if (value !== undefined) written.set(key, String(value));
  states.set(name, written);
  if (room.value === name) soon ??= setTimeout(write, PATIENCE);
}

/** Call `listener` whenever somebody changes the state of a room by its address, or from another room. */
export function onState(name: RoomName, listener: (state: URLSearchParams) => void): () => void {
  listeners.set(name, listener);
  return () => listeners.delete(name);
}

read();
addEventListener("hashchange", () => {
  read();
  listeners.get(room.value)?.(stateOf(room.value));
});
addEventListener("popstate", read);
addEventListener("pagehide", () => soon && write());
