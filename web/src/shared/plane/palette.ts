// The colors of the page as RGB, for canvases: read from the CSS custom properties whenever the color scheme changes.
import { signal } from "@preact/signals";

export type Color = [number, number, number];

export interface Palette {
  paper: Color;
  ink: Color;
  soft: Color;
  line: Color;
  accent: Color;
  negative: Color;
  positive: Color;
  classes: Color[];
}

export const CLASSES = 8;
const GRAY: Color = [128, 128, 128];
const EMPTY: Palette = {
  paper: GRAY,
  ink: GRAY,
  soft: GRAY,
  line: GRAY,
  accent: GRAY,
  negative: GRAY,
  positive: GRAY,
  classes: Array<Color>(CLASSES).fill(GRAY),
};

/** The current colors. */
export const palette = signal<Palette>(EMPTY);

function readColors(): void {
  const root = document.querySelector(".adjoint");
  if (!root) return;
  const probe = document.createElement("span");
  probe.hidden = true;
  root.append(probe);
  const color = (name: string): Color => {
    probe.style.color = `var(--${name})`;
    const parts =
      getComputedStyle(probe)
        .color.match(/[\d.]+/g)
        ?.map(Number) ?? [];
    return [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0];
  };
  palette.value = {
    paper: color("card"),
    ink: color("ink"),
    soft: color("soft"),
    line: color("line"),
    accent: color("accent"),
    negative: color("class-0"),
    positive: color("class-1"),
    classes: Array.from({ length: CLASSES }, (_, i) => color(`class-${i}`)),
  };
  probe.remove();
}

let watchedRoot: Element | null = null;

/** Read the colors now and after each change of the color scheme. */
export function watchPalette(): void {
  const root = document.querySelector(".adjoint");
  if (root && root !== watchedRoot) {
    watchedRoot = root;
    new MutationObserver(readColors).observe(root, { attributes: true, attributeFilter: ["data-scheme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readColors);
  }
  readColors();
}

/** A color as CSS. */
export function css([r, g, b]: Color, alpha = 1): string {
  return alpha === 1 ? `rgb(${r} ${g} ${b})` : `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** Interpolate from `a` to `b`. */
export function mix(a: Color, b: Color, part: number): Color {
  return [0, 1, 2].map((i) => Math.round(a[i]! + (b[i]! - a[i]!) * part)) as Color;
}
