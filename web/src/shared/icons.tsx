// The icons of buttons.
const PATHS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6 4.5h4v15H6zM14 4.5h4v15h-4z",
  forward: "M5 4.5v15l10-7.5zM16.5 4.5h2.6v15h-2.6z",
  back: "M19 4.5v15L9 12zM4.9 4.5h2.6v15H4.9z",
  reset: "M12 5a7 7 0 1 1-6.7 9h2.2A5 5 0 1 0 12 7v3.5L6.5 6 12 1.5z",
  end: "M4 4.5v15l8-7.5zM12 4.5v15l8-7.5z",
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
