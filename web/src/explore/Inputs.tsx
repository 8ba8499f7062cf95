// A slider and a number field for each input of the graph. A typed number beyond the range of the slider widens it.
import { useCallback, useState } from "preact/hooks";
import { signOf, type Wire } from "../shared/numbers";
import { formatSummary } from "./figures";
import { memo } from "./memo";
import { isArray, type Summary } from "./model";

const MAX = 1e6;

interface Props {
  names: string[];
  numbers: Record<string, number>;
  /** The gradients known at the current step. */
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

/** Memoized because a slider rounds its value: setting it again on each render would look like a change. */
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

/** Parse a number within the allowed range; null if the text is not one. */
function parseInput(text: string): number | null {
  const n = Number(text.trim().replace("−", "-"));
  return text.trim() !== "" && Number.isFinite(n) && Math.abs(n) <= MAX ? n : null;
}

function Input({ name, x, gradient, sign, onMove }: InputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [reach, setReach] = useState(10);
  const isInvalid = typed !== null && parseInput(typed) === null;
  const slide = useCallback(
    (value: number) => {
      setTyped(null);
      onMove(name, value);
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
        aria-invalid={isInvalid}
        onInput={(event) => take(event.currentTarget.value)}
        onBlur={() => setTyped(null)}
      />
      {gradient !== null && (
        <span class={`number gradient ${sign}`} title={`gradient: how fast the result changes with ${name}`}>
          {gradient}
        </span>
      )}
      {isInvalid && (
        <p class="small wrong" role="alert">
          {`enter a number from −10⁶ to 10⁶; ${name} stays ${Number(x.toPrecision(6))}`}
        </p>
      )}
    </li>
  );
}
