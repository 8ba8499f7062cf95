// The logo of adjoint: two values, their result, and the gradient that flows back.
export function Mark() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d="M5 6.5 12 12 5 17.5" fill="none" stroke="var(--strong-line)" stroke-width="1.8" />
      <path d="M18 12H12" fill="none" stroke="var(--accent)" stroke-width="2.2" />
      <circle cx="4.5" cy="6" r="3" fill="var(--negative)" />
      <circle cx="4.5" cy="18" r="3" fill="var(--positive)" />
      <circle cx="19" cy="12" r="4" fill="var(--accent)" />
    </svg>
  );
}
