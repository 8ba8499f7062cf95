// The icons of verdicts; each is next to text that says the same.
const PATHS = {
  right: "M9.2 18.4 3.6 12.8l1.9-1.9 3.7 3.7L18.5 5.3l1.9 1.9z",
  wrong: "M12 13.9 6.6 19.3l-1.9-1.9 5.4-5.4-5.4-5.4 1.9-1.9 5.4 5.4 5.4-5.4 1.9 1.9-5.4 5.4 5.4 5.4-1.9 1.9z",
  shown:
    "M12 5c5 0 8.6 4 10 7-1.4 3-5 7-10 7S3.400 15 2 12c1.400-3 5-7 10-7zm0 2.600A4.400 4.400 0 1 0 12 16.400 4.400 4.400 0 0 0 12 7.600zm0 2a2.400 2.400 0 1 1 0 4.800 2.400 2.400 0 0 1 0-4.800z",
} as const;

export function Sign({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="sign" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
