// The gradient norm of each layer as bars on a log scale.
import { formatNumber, toNumber, type Wire } from "../numbers";

// The exponents of ten at the two ends of a bar.
const MIN = -8;
const MAX = 2;

function part(norm: Wire): number {
  const n = toNumber(norm);
  if (n === 0 || Number.isNaN(n)) return 0;
  return Math.max(0.01, Math.min(1, ((Number.isFinite(n) ? Math.log10(n) : MAX) - MIN) / (MAX - MIN)));
}

export function Norms({ of }: { of: Wire[] }) {
  return (
    <ol class="norms">
      {of.map((norm, k) => (
        <li key={k}>
          <span class="small">{k === of.length - 1 ? "output" : `layer ${k + 1}`}</span>
          <span class="track">
            <span style={{ width: `${100 * part(norm)}%` }} />
          </span>
          <span class="number">{formatNumber(norm, 2)}</span>
        </li>
      ))}
    </ol>
  );
}
