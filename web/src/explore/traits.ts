// Traits of the model as hooks: components render again when the model changes.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Model } from "./model";

/** The value of a trait. */
export function useTrait<T>(model: Model, name: string): T {
  const [value, setValue] = useState(() => model.get(name) as T);
  useEffect(() => {
    const update = () => setValue(() => model.get(name) as T);
    update();
    model.on(`change:${name}`, update);
    return () => model.off(`change:${name}`, update);
  }, [model, name]);
  return value;
}

/** A trait that the component sets, with its default. */
export function useSetting<T>(model: Model, name: string, initial: T): [T, (value: T) => void] {
  const value = useTrait<T | null | undefined>(model, name) ?? initial;
  const set = useCallback(
    (next: T) => {
      model.set(name, next);
      model.save_changes();
    },
    [model, name],
  );
  return [value, set];
}
