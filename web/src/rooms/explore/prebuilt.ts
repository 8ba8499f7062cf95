// Scenes that the static site was built with: they are shown before the engine is ready, or without it.
import type { Preset, Scene } from "../../explore/model";
import { haveSameGraph } from "./statements";

/** The answer of the room to an expression. */
export interface PrebuiltScene {
  expression: string;
  scene: Scene;
  numbers: Record<string, number>;
  notes: string;
}

interface Prebuilt {
  presets: Preset[];
  scenes: PrebuiltScene[];
}

let prebuilt: Promise<Prebuilt | null> = Promise.resolve(null);

/** Set the scenes; without them, or if they cannot be loaded, every scene comes from the engine. */
export function setPrebuilt(loaded: Promise<Prebuilt | null>): void {
  prebuilt = loaded.catch(() => null);
}

/** The presets of the scenes; [] if there are none. */
export async function prebuiltPresets(): Promise<Preset[]> {
  return (await prebuilt)?.presets ?? [];
}

/** The scene of an expression, which may have other numbers. */
export async function findPrebuilt(expression: string): Promise<PrebuiltScene | undefined> {
  return (await prebuilt)?.scenes.find((each) => haveSameGraph(each.expression, expression));
}
