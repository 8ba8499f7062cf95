// MathML from plain data: ["mfrac", ["mi", "a"], ["mi", "b"]]. Elements are made one by one; no text becomes markup.
import { createElement, type ComponentChild } from "preact";

export type MathElement = [string, ...(MathElement | string)[]];

const KNOWN = new Set(["mrow", "mi", "mn", "mo", "mtext", "mfrac", "msup", "msub", "msqrt", "mtable", "mtr", "mtd"]);

function made(part: MathElement | string): ComponentChild {
  if (typeof part === "string") return part;
  const [name, ...inside] = part;
  return createElement(KNOWN.has(name) ? name : "mrow", null, ...inside.map(made));
}

export function Formula({ of, label }: { of: MathElement; label?: string }) {
  return createElement("math", { xmlns: "http://www.w3.org/1998/Math/MathML", ...(label ? { "aria-label": label } : {}) } as never, made(of));
}
