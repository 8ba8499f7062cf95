// The state of Explore in the address: an expression, its numbers, and how the graph is shown.
import { SPEEDS } from "../../explore/progress";
import { assignedNames } from "./statements";

export const DEFAULT_EXPRESSION = "tanh(x1*w1 + x2*w2 + b)";
const DEFAULT_NUMBERS = { x1: 2, w1: -3, x2: 0, w2: 1, b: 6.881373587019543 };
export const DEFAULT_SETTINGS = { gradients: true, speed: 1, nudge: "", h: "0.01" };

export type Address = Record<string, string | number | undefined>;
export type Settings = typeof DEFAULT_SETTINGS;

/** How the graph is shown; missing and invalid parameters get their defaults. */
export function settingsOf(params: URLSearchParams): Settings & { at: number | null } {
  const at = params.get("at") ?? "";
  const speed = Number(params.get("speed"));
  return {
    at: /^\d{1,6}$/.test(at) ? Number(at) : null,
    gradients: params.get("gradients") !== "off",
    speed: SPEEDS.includes(speed) ? speed : DEFAULT_SETTINGS.speed,
    nudge: params.get("nudge")?.slice(0, 200) ?? DEFAULT_SETTINGS.nudge,
    h: params.get("h")?.slice(0, 40) ?? DEFAULT_SETTINGS.h,
  };
}

/** The parameters that differ from their defaults. */
export function settingsAddress(settings: Settings & { at: number | null }): Address {
  const address: Address = {};
  if (settings.at !== null) address.at = settings.at;
  if (!settings.gradients) address.gradients = "off";
  for (const name of ["speed", "nudge", "h"] as const) {
    if (settings[name] !== DEFAULT_SETTINGS[name]) address[name] = settings[name];
  }
  return address;
}

export function expressionOf(params: URLSearchParams): { expression: string; numbers: Record<string, number> } {
  const given = params.get("e") ?? params.get("expression") ?? DEFAULT_EXPRESSION;
  const expression = given.replace(/\r\n?/g, "\n"); // Python accepts all line ends, and editors write only this one
  const numbers: Record<string, number> = {};
  for (const [name, text] of params) {
    const isNumber = text !== "" && Number.isFinite(Number(text));
    if (name.startsWith("n.") && isNumber) numbers[name.slice(2)] = Number(text);
  }
  const isDefault = expression === DEFAULT_EXPRESSION && Object.keys(numbers).length === 0;
  return { expression, numbers: isDefault ? { ...DEFAULT_NUMBERS } : numbers };
}

export function expressionAddress(expression: string, numbers: Record<string, number>, inputs: string[]): Address {
  const address: Address = { e: expression };
  const written = assignedNames(expression); // these have their numbers in the text
  for (const name of inputs) {
    if (Object.hasOwn(numbers, name) && !written.has(name)) address[`n.${name}`] = numbers[name];
  }
  return address;
}
