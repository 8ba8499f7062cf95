// What a room in which something plays does while it is shown: it hears keys, and rests when one leaves.
import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { watchPalette } from "../plane/palette";

interface Playing {
  open: () => () => void;
  playing: Signal<boolean>;
  pause: () => unknown;
  /** What keys do, where nothing is typed and no button is pressed by them. */
  keys: Record<string, () => unknown>;
}

export function usePresence({ open, playing, pause, keys }: Playing): void {
  useEffect(() => {
    const heard = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, select, textarea, [contenteditable]")) return;
      if (event.key === " " && target.matches("button, summary, [role=option], [role=tab]")) return;
      const doing = keys[event.key.toLowerCase()];
      if (!doing) return;
      event.preventDefault();
      void doing();
    };
    watchPalette();
    const leave = open();
    document.addEventListener("keydown", heard);
    return () => {
      leave();
      document.removeEventListener("keydown", heard);
      if (playing.value) void pause();
    };
  }, []);
}
