// MathML from plain data: ["mfrac", ["mi", "a"], ["mi", "b"]]. Elements are made one by one; no text becomes markup.
import { createElement, type ComponentChild } from "preact";

export type MathElement = [string, ...(MathElement | string)[]];

const KNOWN = new Set(["mrow", "mi", "mn", "mo", "mtext", "mfrac", "msup", "msub", "msqrt", "mtable", "mtr", "mtd"]);

function made(part: MathElement | string): ComponentChild {
  if (typeof part === "string") return part;
  const [name, ...inside] = part;
  return createElement(KNOWN.has(name) ? name : "mrow", null, ...inside.map(made));
}

/** An equation as its sides, each with the sign before it: browsers break no line within a formula, but between two. */
export function sidesOf(equation: MathElement): MathElement[] {
  const sides: MathElement[] = [];
  for (const part of flattened(equation)) {
    if (sides.length === 0 || /^\+?=$/.test(typeof part === "string" ? part : part[0] === "mo" ? String(part[1]) : "")) sides.push(["mrow", part]);
    else sides[sides.length - 1]!.push(part);
  }
  return sides;
}

/** The parts of an equation; that its right-hand side is one of its own does not matter here. */
function flattened(equation: MathElement): (MathElement | string)[] {
  const [name, ...parts] = equation;
  const last = parts[parts.length - 1];
  if (name !== "mrow" || last === undefined) return [equation];
  const isChain = typeof last !== "string" && last[0] === "mrow" && last.some((part) => Array.isArray(part) && part[0] === "mo" && part[1] === "=");
  return isChain ? [...parts.slice(0, -1), ...flattened(last)] : parts;
}

export function Formula({ of, label }: { of: MathElement; label?: string }) {
  return createElement("math", { xmlns: "http://www.w3.org/1998/Math/MathML", ...(label ? { "aria-label": label } : {}) } as never, made(of));
}
