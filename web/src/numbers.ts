// Numbers as the page writes and reads them. JSON has no NaN and no infinities: these come as words.
export type Wire = number | "NaN" | "Infinity" | "-Infinity" | null;

export function read(x: Wire | undefined): number {
  return x === null || x === undefined ? NaN : Number(x);
}

const RAISED: Record<string, string> = { "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹" };

/** A number with so many digits, as mathematics writes it: −6, 0.7071, 1.5·10⁻⁷. */
export function written(x: Wire | undefined, digits = 4): string {
  const n = read(x);
  if (Number.isNaN(n)) return x === "NaN" ? "NaN" : "–";
  if (!Number.isFinite(n)) return n > 0 ? "∞" : "−∞";
  const size = Math.abs(n);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) {
    const [mantissa = "0", exponent = "0"] = n.toExponential(Math.max(0, digits - 2)).split("e");
    const raised = String(Number(exponent)).replace(/./g, (c) => RAISED[c] ?? c);
    return `${Number(mantissa)}·10${raised}`.replace("-", "−");
  }
  return String(Number(n.toPrecision(digits))).replace("-", "−");
}

/** "negative" or "positive", for a class of CSS; nothing for zero. */
export function signOf(x: Wire | undefined): string {
  const n = read(x);
  return n < 0 ? "negative" : n > 0 ? "positive" : "";
}
