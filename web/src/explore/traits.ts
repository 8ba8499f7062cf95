// What the model knows as what is shown: it changes when the model does, and is kept by whoever keeps the model.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Model } from "./model";

/** A trait of the model. */
export function useTrait<T>(model: Model, name: string): T {
  const [value, setValue] = useState(() => model.get(name) as T);
  useEffect(() => {
    const changed = () => setValue(() => model.get(name) as T);
    changed();
    model.on(`change:${name}`, changed);
    return () => model.off(`change:${name}`, changed);
  }, [model, name]);
  return value;
}

/** A trait that somebody sets here, and what it is before. */
export function useSetting<T>(model: Model, name: string, first: T): [T, (value: T) => void] {
  const value = useTrait<T | null | undefined>(model, name) ?? first;
  const set = useCallback(
    (next: T) => {
      model.set(name, next);
      model.save_changes();
    },
    [model, name],
  );
  return [value, set];
}
