// The scene with the numbers of the sliders: the page computes it in the event that moves one, and the engine confirms it.
import { useMemo } from "preact/hooks";
import type { Model, Scene } from "./model";
import { moveScene } from "./moves";
import { useTrait } from "./traits";

/** The scene of the model if it has the model's numbers, else that scene with them. */
export function useScene(model: Model): Scene | null {
  const scene = useTrait<Scene | null>(model, "scene");
  const numbers = useTrait<Record<string, number> | undefined>(model, "numbers");
  const at = useTrait<number | null | undefined>(model, "at");
  return useMemo(() => scene && moveScene(scene, numbers ?? {}, at ?? null), [scene, numbers, at]);
}
