// Work that can wait until the page has painted what the user sees first.

/** Run a function after the next paint. */
export function afterPaint(callback: () => void): void {
  requestAnimationFrame(() => setTimeout(callback));
}
