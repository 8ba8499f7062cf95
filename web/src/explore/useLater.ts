// The graph first: while a slider moves, what is said beside it follows when the graph has been painted.
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Model, Scene } from "./model";

/** Do something when the next frame has been painted. */
function afterPaint(act: () => void): void {
  requestAnimationFrame(() => setTimeout(act));
}

/** The scene, one frame later where only its numbers are others; another graph is there at once. */
export function useLater(scene: Scene): Scene {
  const [later, setLater] = useState(scene);
  const newest = useRef(scene);
  const isWaiting = useRef(false);
  newest.current = scene;
  const isMove = later.inputs === scene.inputs;
  useEffect(() => {
    if (isWaiting.current || later === scene) return;
    if (!isMove) return setLater(scene);
    isWaiting.current = true;
    afterPaint(() => {
      isWaiting.current = false;
      setLater(newest.current);
    });
  }, [scene, later]);
  return isMove ? later : scene;
}

/** The numbers that the sliders stand at. Who moves one has moved it already, so that its number may follow. */
export function useNumbers(model: Model): Record<string, number> {
  const [, draw] = useReducer((count: number, _: void) => count + 1, 0);
  useEffect(() => {
    let isWaiting = false;
    const changed = () => {
      if (isWaiting) return;
      isWaiting = true;
      afterPaint(() => {
        isWaiting = false;
        draw();
      });
    };
    model.on("change:numbers", changed);
    return () => model.off("change:numbers", changed);
  }, [model]);
  return (model.get("numbers") as Record<string, number> | undefined) ?? {};
}
