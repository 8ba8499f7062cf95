// The length of the gradient of each layer, as bars by the power of ten.
import { read, type Wire, written } from "../numbers";

const LEAST = -8, MOST = 2; // powers of ten that the bars reach from and to

function part(norm: Wire): number {
  const n = read(norm);
  if (n === 0 || Number.isNaN(n)) return 0;
  return Math.max(0.01, Math.min(1, ((Number.isFinite(n) ? Math.log10(n) : MOST) - LEAST) / (MOST - LEAST)));
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
          <span class="number">{written(norm, 2)}</span>
        </li>
      ))}
    </ol>
  );
}
