// Deferred rendering: while a slider moves, the graph is painted first and everything else one frame later.
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { afterPaint } from "../shared/paint";
import type { Model, Scene } from "./model";

/** The scene, one frame late if only its numbers changed; a different graph is returned at once. */
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

/** The numbers of the sliders, one frame late: a moving slider already shows its own position. */
export function useNumbers(model: Model): Record<string, number> {
  const [, renderAgain] = useReducer((count: number, _: undefined) => count + 1, 0);
  useEffect(() => {
    let isWaiting = false;
    const update = () => {
      if (isWaiting) return;
      isWaiting = true;
      afterPaint(() => {
        isWaiting = false;
        renderAgain(undefined);
      });
    };
    model.on("change:numbers", update);
    return () => model.off("change:numbers", update);
  }, [model]);
  return (model.get("numbers") as Record<string, number> | undefined) ?? {};
}
