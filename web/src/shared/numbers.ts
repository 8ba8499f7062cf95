// Numbers as the server sends them and as the page formats them. JSON has no NaN or infinity, so these are strings.
export type Wire = number | "NaN" | "Infinity" | "-Infinity" | null;

/** Convert a number from the server; a missing one becomes NaN. */
export function toNumber(x: Wire | undefined): number {
  return x === null || x === undefined ? NaN : Number(x);
}

/** Convert a number to the form of the server. */
export function toWire(x: number): Wire {
  return Number.isFinite(x) ? x : (String(x) as Wire);
}

const SUPERSCRIPTS: Record<string, string> = {
  "-": "⁻",
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "7": "⁷",
  "8": "⁸",
  "9": "⁹",
};

/** Format a number with this many significant digits, in mathematical notation: −6, 0.7071, 1.5·10⁻⁷. */
export function formatNumber(x: Wire | undefined, digits = 4): string {
  const n = toNumber(x);
  if (Number.isNaN(n)) return x === null || x === undefined ? "–" : "NaN";
  if (!Number.isFinite(n)) return n > 0 ? "∞" : "−∞";
  const size = Math.abs(n);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) {
    const [mantissa = "0", exponent = "0"] = n.toExponential(Math.max(0, digits - 2)).split("e");
    const superscript = String(Number(exponent)).replace(/./g, (c) => SUPERSCRIPTS[c] ?? c);
    return `${Number(mantissa)}·10${superscript}`.replace("-", "−");
  }
  return String(Number(n.toPrecision(digits))).replace("-", "−");
}

/** The CSS class for the sign of a number: "negative", "positive", or "" for zero and NaN. */
export function signOf(x: Wire | undefined): string {
  const n = toNumber(x);
  return n < 0 ? "negative" : n > 0 ? "positive" : "";
}
