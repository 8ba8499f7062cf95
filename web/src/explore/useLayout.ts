// The layout of a graph for its canvas, computed again when the graph or the width of the canvas changes.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { keyOf, type Layout, layoutFor } from "./layout";
import type { Scene } from "./model";

const STEP = 40; // pixels; smaller changes of the width keep the layout

export function useLayout(scene: Scene): { layout: Layout; canvas: RefObject<HTMLDivElement | null> } {
  const canvas = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(1000);
  const cache = useRef<{ layout: Layout; width: number } | null>(null);
  if (cache.current?.layout.key !== keyOf(scene) || cache.current.width !== width)
    cache.current = { layout: layoutFor(scene, width), width };
  useLayoutEffect(() => {
    const element = canvas.current!;
    const measure = () => element.clientWidth && setWidth(Math.floor(element.clientWidth / STEP) * STEP);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { layout: cache.current.layout, canvas };
}
