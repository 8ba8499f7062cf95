// Nudge: change one input by h and compare the change that the gradient predicts with the actual one.
import { useEffect, useState } from "preact/hooks";
import { formatNumber, toNumber, type Wire } from "../shared/numbers";
import { memo } from "./memo";
import { type Model, request, type Scene } from "./model";
import { useSetting } from "./traits";

type Result = { before: Wire; after: Wire; gradient: Wire; predicted: Wire; real: Wire };

export const Nudge = memo(({ model, scene }: { model: Model; scene: Scene }) => {
  const names = scene.inputs;
  const [name, setName] = useSetting(model, "nudge", "");
  const [h, setH] = useSetting(model, "h", "0.01");
  const [result, setResult] = useState<Result | null>(null);
  const [error, setError] = useState("");
  const chosen = names.includes(name) ? name : (names[0] ?? "");
  const size = h.trim() !== "" && Number.isFinite(Number(h)) ? Number(h) : null;
  useEffect(() => {
    if (!chosen || size === null) return setResult(null);
    let isCurrent = true;
    const timer = setTimeout(() => {
      request(model, "nudge", { name: chosen, h: size }).then(
        (answer) => {
          if (!isCurrent) return;
          setResult(answer as unknown as Result);
          setError("");
        },
        (problem: Error) => isCurrent && setError(problem.message),
      );
    }, 60);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [model, scene, chosen, size]);
  return (
    <section class="card nudge" aria-label="Nudge">
      <h3>Nudge</h3>
      <p class="soft small">
        A gradient predicts how much the result changes when an input changes a little. The smaller the change, the
        better the prediction.
      </p>
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
          <input
            type="text"
            inputMode="decimal"
            class="number"
            size={6}
            value={h}
            aria-invalid={size === null}
            onInput={(event) => setH(event.currentTarget.value)}
          />
        </label>
      </div>
      {size === null && <p class="small wrong">enter a number, such as 0.01</p>}
      {error && <p class="small wrong">{error}</p>}
      {result && <Comparison result={result} />}
    </section>
  );
});

function Comparison({ result }: { result: Result }) {
  const [predicted, real] = [toNumber(result.predicted), toNumber(result.real)];
  const gap = Math.abs(real - predicted);
  const scale = Math.max(Math.abs(predicted), Math.abs(real), 1e-300);
  return (
    <dl class="compare" data-testid="nudge">
      <dt>predicted change</dt>
      <dd class="number">{formatNumber(result.predicted, 5)}</dd>
      <Measure kind="predicted" part={Math.abs(predicted) / scale} />
      <dt>actual change</dt>
      <dd class="number">{formatNumber(result.real, 5)}</dd>
      <Measure kind="real" part={Math.abs(real) / scale} />
      <dt>error</dt>
      <dd class="number">
        {formatNumber(gap, 3)}{" "}
        <span class="soft">
          {gap <= 1e-12 ? "exact" : Number.isFinite(gap) ? `${formatNumber((100 * gap) / scale, 2)} %` : ""}
        </span>
      </dd>
    </dl>
  );
}

function Measure({ kind, part }: { kind: string; part: number }) {
  return (
    <dd class="scale" aria-hidden="true">
      <span class={`measure ${kind}`} style={{ width: `${Number.isFinite(part) ? 100 * part : 0}%` }} />
    </dd>
  );
}
