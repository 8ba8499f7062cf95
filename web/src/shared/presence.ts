// A room with a player: its keyboard shortcuts work while it is shown, and it pauses when the user leaves it.
import { type Signal, signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { watchPalette } from "./plane/palette";

/** Whether the page is visible; a page in the background computes and draws no maps. */
export const isVisible = signal(!document.hidden);
document.addEventListener("visibilitychange", () => (isVisible.value = !document.hidden));

interface PlayerRoom {
  open: () => () => void;
  playing: Signal<boolean>;
  pause: () => unknown;
  /** Actions by key; they are ignored in text fields and where the key presses a button. */
  keys: Record<string, () => unknown>;
}

export function usePresence({ open, playing, pause, keys }: PlayerRoom): void {
  // A layout effect: keys work as soon as the room is visible.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.matches("input, select, textarea, [contenteditable]")) return;
      if (event.key === " " && target.matches("button, summary, [role=option], [role=tab]")) return;
      const action = keys[event.key.toLowerCase()];
      if (!action) return;
      event.preventDefault();
      void action();
    };
    watchPalette();
    const leave = open();
    document.addEventListener("keydown", onKey);
    return () => {
      leave();
      document.removeEventListener("keydown", onKey);
      if (playing.value) void pause();
    };
  }, []);
}
