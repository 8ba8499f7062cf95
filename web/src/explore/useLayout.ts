// The layout of a graph in the canvas that there is: computed again when the graph is another one, or the canvas is.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { layoutFor, keyOf, type Layout } from "./layout";
import type { Scene } from "./model";

const STEP = 40; // pixels: a canvas that grows by less is the same

export function useLayout(scene: Scene): { layout: Layout; canvas: RefObject<HTMLDivElement | null> } {
  const canvas = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(1000);
  const kept = useRef<{ layout: Layout; width: number } | null>(null);
  if (kept.current?.layout.key !== keyOf(scene) || kept.current.width !== width)
    kept.current = { layout: layoutFor(scene, width), width };
  useLayoutEffect(() => {
    const shown = canvas.current!;
    const measure = () => shown.clientWidth && setWidth(Math.floor(shown.clientWidth / STEP) * STEP);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(shown);
    return () => watch.disconnect();
  }, []);
  return { layout: kept.current.layout, canvas };
}
