// A slider and a field for each input of the graph. What is typed beyond a slider's ends widens it.
import { useCallback, useState } from "preact/hooks";
import { signOf, type Wire } from "../shared/numbers";
import { formatSummary } from "./figures";
import { memo } from "./memo";
import { isArray, type Summary } from "./model";

const MOST = 1e6;

interface Props {
  names: string[];
  numbers: Record<string, number>;
  /** The gradients that are known by now. */
  gradients: Map<string, Summary | null>;
  showGradients: boolean;
  onMove: (name: string, x: number) => void;
}

export const Inputs = memo(({ names, numbers, gradients, showGradients, onMove }: Props) => {
  return (
    <ul class="inputs" aria-label="Inputs">
      {names.map((name) => {
        const gradient = gradients.get(name) ?? null;
        const sign = gradient === null || isArray(gradient) ? "" : signOf(gradient as Wire);
        return (
          <Input
            key={name}
            name={name}
            x={Object.hasOwn(numbers, name) ? numbers[name]! : 0}
            gradient={!showGradients ? null : gradient === null ? "·" : formatSummary(gradient)}
            sign={sign}
            onMove={onMove}
          />
        );
      })}
    </ul>
  );
});

interface InputProps {
  name: string;
  x: number;
  gradient: string | null;
  sign: string;
  onMove: (name: string, x: number) => void;
}

/** A slider rounds what it is set to, so it would seem to be another each time: it is touched only when it moves. */
const Slider = memo(
  ({ name, x, wide, onMove }: { name: string; x: number; wide: number; onMove: (x: number) => void }) => (
    <input
      type="range"
      min={-wide}
      max={wide}
      step={wide / 200}
      value={String(x)}
      aria-label={`${name}, slider`}
      onInput={(event) => onMove(Number(event.currentTarget.value))}
    />
  ),
);

/** What a text says as a number that an input can have; null if it says none. */
function parseInput(text: string): number | null {
  const n = Number(text.trim().replace("−", "-"));
  return text.trim() !== "" && Number.isFinite(n) && Math.abs(n) <= MOST ? n : null;
}

function Input({ name, x, gradient, sign, onMove }: InputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [reach, setReach] = useState(10);
  const wrong = typed !== null && parseInput(typed) === null;
  const slide = useCallback(
    (moved: number) => {
      setTyped(null);
      onMove(name, moved);
    },
    [name, onMove],
  );
  const take = (text: string) => {
    const n = parseInput(text);
    setTyped(text);
    if (n === null) return;
    setReach(Math.max(reach, Math.abs(n)));
    onMove(name, n);
  };
  return (
    <li class={gradient === null ? "plain" : ""}>
      <span class="name">{name}</span>
      <Slider name={name} x={x} wide={Math.max(reach, Math.abs(x))} onMove={slide} />
      <input
        type="text"
        inputMode="decimal"
        class="number"
        value={typed ?? String(Number(x.toPrecision(6)))}
        aria-label={`${name}, number`}
        aria-invalid={wrong}
        onInput={(event) => take(event.currentTarget.value)}
        onBlur={() => setTyped(null)}
      />
      {gradient !== null && (
        <span class={`number gradient ${sign}`} title={`the gradient: how fast the result changes with ${name}`}>
          {gradient}
        </span>
      )}
      {wrong && (
        <p class="small wrong" role="alert">
          {`a number from −10⁶ to 10⁶ is expected; ${name} stays ${Number(x.toPrecision(6))}`}
        </p>
      )}
    </li>
  );
}
