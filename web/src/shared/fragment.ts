// The state of the page in the URL fragment: #explore?e=a*b&n.a=2. A shared link therefore shows what the sender sees.
// The lab's token also arrives in the fragment; it is stored once and then removed from the address bar.
import { type ReadonlySignal, signal } from "@preact/signals";

export const ROOMS = ["explore", "train", "mistakes", "quiz", "learn"] as const;
export type RoomName = (typeof ROOMS)[number];
/** A tab of the page: a room or, on the static site, the start page. */
export type Place = RoomName | "start";
export const places: readonly Place[] = import.meta.env.MODE === "site" ? ["start", ...ROOMS] : ROOMS;

/** The parameter with the number of the lesson from which a room was opened. */
export const BACK = "learn";
const TOKEN_KEY = "adjoint.lab.token";
/** The parameter without which the page shows more than a graph. */
const EMBED = "embed";
/** The open tab. The first one is open if the address names none. */
export const room = signal<Place>(places[0]!);
const embedded = signal(false);
/** Whether the page shows just a graph with its sliders, for a frame in another page. */
export const isEmbedded: ReadonlySignal<boolean> = embedded;
const lessons = new Map<Place, string>();
const currentLesson = signal("");
/** The number of the lesson from which the current room was opened; "" if it was not. */
export const lessonBehind: ReadonlySignal<string> = currentLesson;
/** The token, if the browser refused to store it. */
let unstoredToken = "";
const states = new Map<Place, URLSearchParams>();
const listeners = new Map<Place, (state: URLSearchParams) => void>();
/** Rooms that were opened and left: they keep what they show. */
const left = new Set<Place>();
/** Rooms in `left` whose state a link has changed since. They receive it when they open again. */
const waiting = new Set<Place>();

export function token(): string {
  try {
    return unstoredToken || (localStorage.getItem(TOKEN_KEY) ?? "");
  } catch {
    return "";
  }
}

function readFragment(): void {
  const text = location.hash.slice(1);
  const [head, query] = text.includes("?") || !text.includes("=") ? splitOnce(text) : ["", text];
  const params = new URLSearchParams(query);
  const received = params.get("token");
  if (received) {
    params.delete("token");
    try {
      localStorage.setItem(TOKEN_KEY, received);
    } catch {
      unstoredToken = received; // until the page is closed
    }
  }
  const known = places.find((name) => name === head);
  // Back from a room leads to the address without a fragment, which is the first tab.
  const target = known ?? (text === "" ? places[0]! : room.value);
  embedded.value = params.has(EMBED);
  params.delete(EMBED);
  const lesson = params.get(BACK) ?? "";
  if (known || params.size > 0) {
    params.delete(BACK);
    lessons.set(target, /^\d{1,3}$/.test(lesson) ? lesson : "");
    if (left.has(target) && states.get(target)?.toString() !== params.toString()) waiting.add(target);
    states.set(target, params);
  }
  room.value = target;
  currentLesson.value = lessons.get(target) ?? "";
  if (received) writeFragment();
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf("?");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

// Changing the address is slow, and browsers limit how often it is allowed, so writes are delayed and merged.
const WRITE_DELAY = 250; // milliseconds
let pendingWrite: ReturnType<typeof setTimeout> | undefined;

function writeFragment(): void {
  clearTimeout(pendingWrite);
  pendingWrite = undefined;
  const params = new URLSearchParams(states.get(room.value));
  if (currentLesson.value) params.set(BACK, currentLesson.value);
  const query = params.toString() + (embedded.value ? `&${EMBED}` : "");
  // The characters ( ) , / ; = are allowed in a fragment and are easier to read unescaped.
  const readable = query.replace(/%(28|29|2C|2F|3B|3D)/g, decodeURIComponent);
  const hash = room.value === "start" ? "" : `#${room.value}${readable ? `?${readable}` : ""}`;
  if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname + location.search);
}

/** Show a room; with `state`, the room restores it first. */
export function openRoom(name: Place, state?: URLSearchParams): void {
  if (pendingWrite) writeFragment();
  if (state) {
    states.set(name, state);
    if (left.has(name)) waiting.add(name);
    listeners.get(name)?.(state);
  }
  if (room.value !== name)
    history.pushState(null, "", name === "start" ? location.pathname + location.search : `#${name}`);
  room.value = name;
  currentLesson.value = lessons.get(name) ?? "";
  writeFragment();
}

/** The latest state of a room: from the address, or as saved by the room. */
export function stateOf(name: Place): URLSearchParams {
  waiting.delete(name);
  return states.get(name) ?? new URLSearchParams();
}

/** Save the state of a room; the address follows if the room is open. */
export function saveState(name: RoomName, state: Record<string, string | number | undefined>): void {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) if (value !== undefined) params.set(key, String(value));
  states.set(name, params);
  if (room.value === name) pendingWrite ??= setTimeout(writeFragment, WRITE_DELAY);
}

/** Save the state of a room that is open, as a new entry of the history: Back returns to the state before. */
export function pushState(name: RoomName, state: Record<string, string | number | undefined>): void {
  if (pendingWrite) writeFragment();
  const before = states.get(name)?.toString();
  saveState(name, state);
  if (room.value !== name || states.get(name)?.toString() === before) return;
  history.pushState(null, "", location.hash);
  writeFragment();
}

/**
 * Call `listener` when the address or another room changes the state of a room; at once, if that happened after the room
 * was left. Returns a function that unsubscribes.
 */
export function onState(name: RoomName, listener: (state: URLSearchParams) => void): () => void {
  listeners.set(name, listener);
  left.delete(name);
  if (waiting.has(name)) listener(stateOf(name));
  return () => {
    listeners.delete(name);
    left.add(name);
  };
}

readFragment();
addEventListener("hashchange", () => {
  readFragment();
  listeners.get(room.value)?.(stateOf(room.value));
});
addEventListener("popstate", readFragment);
addEventListener("pagehide", () => pendingWrite && writeFragment());
