// Form fields with labels; each marks invalid input.
import { useState } from "preact/hooks";

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (string | [value: string, shown: string])[];
  onChange: (value: string) => void;
}

export function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label class="field">
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => {
          const [name, shown] = typeof option === "string" ? [option, option] : option;
          return (
            <option key={name} value={name}>
              {shown}
            </option>
          );
        })}
      </select>
    </label>
  );
}

interface NumberProps {
  label: string;
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
}

/** A whole number; invalid input is marked and ignored. */
export function Whole({ label, value, min, max, onChange }: NumberProps) {
  const [typed, setTyped] = useState<string | null>(null); // null outside of typing: answers never replace typed text
  const text = typed ?? String(value);
  const fits = (text: string) => /^\d+$/.test(text.trim()) && Number(text) >= min && Number(text) <= max;
  return (
    <label class="field">
      {label}
      <input
        type="number"
        min={min}
        max={max}
        step={1}
        value={text}
        aria-invalid={!fits(text)}
        title={`a whole number from ${min} to ${max}`}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          if (fits(event.currentTarget.value)) onChange(Number(event.currentTarget.value));
        }}
        onBlur={() => setTyped(null)}
      />
    </label>
  );
}

export function Slider({ label, value, min, max, step, onChange }: NumberProps & { step: number }) {
  return (
    <label class="field slider">
      <span class="row spread">
        {label} <span class="number">{Number(value.toPrecision(3))}</span>
      </span>
      <input
        type="range"
        min={min}
        max={Math.max(max, value)}
        step={step}
        value={value}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
    </label>
  );
}

/** A positive number: the buttons step through the usual values, and any other can be typed. */
export function Rate({
  label,
  value,
  usual,
  min,
  onChange,
}: {
  label: string;
  value: number;
  usual: number[];
  min: number;
  onChange: (value: number) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null); // null outside of typing: answers never replace typed text
  const text = typed ?? String(value);
  const fits = (text: string) =>
    text.trim() !== "" && Number.isFinite(Number(text)) && Number(text) >= min && Number(text) <= 1e6;
  const stepBy = (direction: number) => {
    const next = direction > 0 ? usual.find((x) => x > value * 1.0001) : usual.findLast((x) => x < value * 0.9999);
    if (next === undefined) return;
    setTyped(null);
    onChange(next);
  };
  return (
    <div class="field rate">
      <label for={`rate-${label}`}>{label}</label>
      <div class="stepper">
        <button type="button" aria-label={`Decrease ${label.toLowerCase()}`} onClick={() => stepBy(-1)}>
          −
        </button>
        <input
          id={`rate-${label}`}
          type="text"
          inputMode="decimal"
          value={text}
          aria-invalid={!fits(text)}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            if (fits(event.currentTarget.value)) onChange(Number(event.currentTarget.value));
          }}
          onBlur={() => setTyped(null)}
        />
        <button type="button" aria-label={`Increase ${label.toLowerCase()}`} onClick={() => stepBy(1)}>
          +
        </button>
      </div>
    </div>
  );
}
