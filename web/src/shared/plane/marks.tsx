// The marker of each class: each has its own shape, so that classes differ by more than color.
const SHAPES = [
  "M4.2 0a4.2 4.2 0 1 1-8.4 0a4.2 4.2 0 1 1 8.4 0z",
  "M0-5.2L4.9 3.8H-4.9z",
  "M-3.9-3.9H3.9V3.9H-3.9z",
  "M0-5.4L5.4 0L0 5.4L-5.4 0z",
  "M0 5.2L4.9-3.8H-4.9z",
  "M-1.6-5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6z",
  "M-4.4-2.4L-2.4-4.4L0-2L2.4-4.4L4.4-2.4L2-0L4.4 2.4L2.4 4.4L0 2L-2.4 4.4L-4.4 2.4L-2 0z",
  "M0-5.6L1.5-1.9L5.3-1.7L2.3 0.8L3.3 4.6L0 2.5L-3.3 4.6L-2.3 0.8L-5.3-1.7L-1.5-1.9z",
];

export function shape(label: number): string {
  return SHAPES[label % SHAPES.length]!;
}

export function Mark({ label, size = 14 }: { label: number; size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="-7 -7 14 14" aria-hidden="true">
      <path d={shape(label)} class={`class-${label}`} />
    </svg>
  );
}
