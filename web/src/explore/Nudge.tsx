// Nudge: move one input by h, and compare what the gradient predicts with what really happens.
import { useEffect, useState } from "preact/hooks";
import { read, type Wire, written } from "../numbers";
import { type Model, request } from "./model";

type Found = { before: Wire; after: Wire; gradient: Wire; predicted: Wire; real: Wire };

export function Nudge({ model, names, numbers }: { model: Model; names: string[]; numbers: Record<string, number> }) {
  const [name, setName] = useState(names[0] ?? "");
  const [h, setH] = useState("0.01");
  const [found, setFound] = useState<Found | null>(null);
  const [error, setError] = useState("");
  const chosen = names.includes(name) ? name : (names[0] ?? "");
  const key = JSON.stringify([chosen, h, numbers]);
  useEffect(() => {
    const size = Number(h);
    if (!chosen || h.trim() === "" || !Number.isFinite(size)) return setFound(null);
    let isCurrent = true;
    const timer = setTimeout(() => {
      request(model, "nudge", { name: chosen, h: size }).then(
        (answer) => {
          if (!isCurrent) return;
          setFound(answer as unknown as Found);
          setError("");
        },
        (problem: Error) => isCurrent && setError(problem.message),
      );
    }, 60);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key]);
  const gap = found && Math.abs(read(found.real) - read(found.predicted));
  const scale = found ? Math.max(Math.abs(read(found.predicted)), Math.abs(read(found.real)), 1e-300) : 1;
  return (
    <section class="nudge" aria-label="Nudge">
      <h3>Nudge</h3>
      <p class="soft small">A gradient says how far the result moves when an input moves a little. The smaller the move, the better it predicts.</p>
      <div class="row">
        <label class="row">
          move
          <select value={chosen} onChange={(event) => setName(event.currentTarget.value)}>
            {names.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="row">
          by
          <input type="text" inputMode="decimal" class="number" size={6} value={h} onInput={(event) => setH(event.currentTarget.value)} />
        </label>
      </div>
      {error && <p class="small">{error}</p>}
      {found && (
        <dl class="compare" data-testid="nudge">
          <dt>gradient · h predicts</dt>
          <dd class="number">{written(found.predicted, 6)}</dd>
          <dd aria-hidden="true">
            <span class="measure predicted" style={{ width: `${(100 * Math.abs(read(found.predicted))) / scale}%` }} />
          </dd>
          <dt>really</dt>
          <dd class="number">{written(found.real, 6)}</dd>
          <dd aria-hidden="true">
            <span class="measure real" style={{ width: `${(100 * Math.abs(read(found.real))) / scale}%` }} />
          </dd>
          <dt>off by</dt>
          <dd class="number">{written(gap, 3)}</dd>
          <dd class="soft small">{gap !== null && gap <= 1e-12 ? "exact" : `${written((100 * (gap ?? 0)) / scale, 2)} %`}</dd>
        </dl>
      )}
    </section>
  );
}
