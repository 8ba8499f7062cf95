// The colours of the page as numbers, for canvases: read from the custom properties, and read again when the scheme changes.
import { signal } from "@preact/signals";

export type Colour = [number, number, number];

export interface Palette {
  paper: Colour;
  ink: Colour;
  soft: Colour;
  line: Colour;
  accent: Colour;
  negative: Colour;
  positive: Colour;
  classes: Colour[];
}

export const CLASSES = 8;
const GREY: Colour = [128, 128, 128];
const EMPTY: Palette = { paper: GREY, ink: GREY, soft: GREY, line: GREY, accent: GREY, negative: GREY, positive: GREY, classes: Array<Colour>(CLASSES).fill(GREY) };

/** The colours as they are now. */
export const palette = signal<Palette>(EMPTY);

function read(): void {
  const home = document.querySelector(".adjoint");
  if (!home) return;
  const probe = document.createElement("span");
  probe.hidden = true;
  home.append(probe);
  const colour = (name: string): Colour => {
    probe.style.color = `var(--${name})`;
    const parts = getComputedStyle(probe).color.match(/[\d.]+/g)?.map(Number) ?? [];
    return [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0];
  };
  palette.value = {
    paper: colour("card"),
    ink: colour("ink"),
    soft: colour("soft"),
    line: colour("line"),
    accent: colour("accent"),
    negative: colour("class-0"),
    positive: colour("class-1"),
    classes: Array.from({ length: CLASSES }, (_, i) => colour(`class-${i}`)),
  };
  probe.remove();
}

let watched: Element | null = null;

/** Read the colours, and again whenever somebody chooses another scheme. */
export function watchPalette(): void {
  const home = document.querySelector(".adjoint");
  if (home && home !== watched) {
    watched = home;
    new MutationObserver(read).observe(home, { attributes: true, attributeFilter: ["data-scheme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", read);
  }
  read();
}

export function css([r, g, b]: Colour, alpha = 1): string {
  return alpha === 1 ? `rgb(${r} ${g} ${b})` : `rgb(${r} ${g} ${b} / ${alpha})`;
}

export function mixed(a: Colour, b: Colour, part: number): Colour {
  return [0, 1, 2].map((i) => Math.round(a[i]! + (b[i]! - a[i]!) * part)) as Colour;
}
