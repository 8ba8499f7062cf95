// Links of the lessons to states of the lab, such as lab:explore?e=tanh(a)&n.a=2.
import { BACK } from "../../shared/fragment";

/** The address of a state of the lab; `lesson` is the number of the lesson that the room links back to. */
export function labAddress(state: string, lesson?: number): string {
  const at = state.indexOf("?");
  const room = at < 0 ? state : state.slice(0, at);
  const params = new URLSearchParams();
  for (const part of at < 0 ? [] : state.slice(at + 1).split("&")) {
    const [name, value] = splitOnce(part);
    if (name) params.append(decode(name), decode(value));
  }
  if (lesson !== undefined && room !== "learn") params.set(BACK, String(lesson));
  const query = params.toString();
  return `#${room}${query ? `?${query}` : ""}`;
}

function splitOnce(part: string): [string, string] {
  const at = part.indexOf("=");
  return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
}

/** Decode %20; unlike in a form, + is a plus sign. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text.trim();
  }
}
