// A slider and a field for each input of the graph. What is typed beyond a slider's ends widens it.
import { useState } from "preact/hooks";
import { signOf, type Wire, written } from "../numbers";

interface Props {
  names: string[];
  numbers: Record<string, number>;
  gradients: Record<string, Wire>;
  showGradients: boolean;
  disabled: boolean;
  onMove: (name: string, x: number) => void;
}

export function Inputs({ names, numbers, gradients, showGradients, disabled, onMove }: Props) {
  return (
    <ul class="inputs" aria-label="Inputs">
      {names.map((name) => (
        <Input key={name} name={name} x={numbers[name] ?? 0} gradient={gradients[name] ?? null} showGradient={showGradients} disabled={disabled} onMove={onMove} />
      ))}
    </ul>
  );
}

interface InputProps {
  name: string;
  x: number;
  gradient: Wire;
  showGradient: boolean;
  disabled: boolean;
  onMove: (name: string, x: number) => void;
}

function Input({ name, x, gradient, showGradient, disabled, onMove }: InputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [reach, setReach] = useState(10);
  const wide = Math.max(reach, Math.abs(x));
  const take = (text: string) => {
    const n = Number(text);
    if (text.trim() === "" || !Number.isFinite(n) || Math.abs(n) > 1e6) return setTyped(text);
    setTyped(text);
    if (Math.abs(n) > reach) setReach(Math.abs(n));
    onMove(name, n);
  };
  const wrong = typed !== null && (typed.trim() === "" || !Number.isFinite(Number(typed)) || Math.abs(Number(typed)) > 1e6);
  return (
    <li>
      <span class="name">{name}</span>
      <input
        type="range"
        min={-wide}
        max={wide}
        step={wide / 200}
        value={x}
        disabled={disabled}
        aria-label={`${name}, slider`}
        onInput={(event) => {
          setTyped(null);
          onMove(name, Number(event.currentTarget.value));
        }}
      />
      <input
        type="text"
        inputMode="decimal"
        class="number"
        value={typed ?? String(Number(x.toPrecision(6)))}
        disabled={disabled}
        aria-label={`${name}, number`}
        aria-invalid={wrong}
        title={wrong ? "a number between −10⁶ and 10⁶" : undefined}
        onInput={(event) => take(event.currentTarget.value)}
        onBlur={() => setTyped(null)}
      />
      {showGradient && (
        <span class={`number gradient ${signOf(gradient)}`} title={`the gradient: how fast the result changes with ${name}`}>
          {written(gradient)}
        </span>
      )}
    </li>
  );
}
