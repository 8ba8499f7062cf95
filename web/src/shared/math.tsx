// MathML from nested arrays: ["mfrac", ["mi", "a"], ["mi", "b"]]. Elements are created one by one, so text never becomes
// markup.
import { type ComponentChild, createElement } from "preact";

export type MathElement = [string, ...(MathElement | string)[]];

const KNOWN_TAGS = new Set([
  "mrow",
  "mi",
  "mn",
  "mo",
  "mtext",
  "mfrac",
  "msup",
  "msub",
  "msqrt",
  "mtable",
  "mtr",
  "mtd",
]);

function toElement(part: MathElement | string): ComponentChild {
  if (typeof part === "string") return part;
  const [name, ...children] = part;
  return createElement(KNOWN_TAGS.has(name) ? name : "mrow", null, ...children.map(toElement));
}

/** Split an equation before each "=" or "+=". Browsers wrap lines between formulas but not within one. */
export function sidesOf(equation: MathElement): MathElement[] {
  const sides: MathElement[] = [];
  for (const part of flatten(equation)) {
    const current = sides.at(-1);
    if (!current || isRelation(part)) sides.push(["mrow", part]);
    else current.push(part);
  }
  return sides;
}

function isRelation(part: MathElement | string): boolean {
  const text = typeof part === "string" ? part : part[0] === "mo" ? part[1] : "";
  return text === "=" || text === "+=";
}

/** The parts of an equation; a right-hand side that is itself an equation is merged into its parent. */
function flatten(equation: MathElement): (MathElement | string)[] {
  const [name, ...parts] = equation;
  const last = parts.at(-1);
  if (name !== "mrow" || last === undefined) return [equation];
  const isChain =
    typeof last !== "string" &&
    last[0] === "mrow" &&
    last.some((part) => Array.isArray(part) && part[0] === "mo" && part[1] === "=");
  return isChain ? [...parts.slice(0, -1), ...flatten(last)] : parts;
}

export function Formula({ of, label }: { of: MathElement; label?: string }) {
  return createElement(
    "math",
    { xmlns: "http://www.w3.org/1998/Math/MathML", ...(label ? { "aria-label": label } : {}) } as never,
    toElement(of),
  );
}
