// The fields of the settings: each with its label, and each says what is wrong with what was typed.
import { useEffect, useState } from "preact/hooks";

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
  least: number;
  most: number;
  onChange: (value: number) => void;
}

/** A whole number: it is taken when it fits. */
export function Whole({ label, value, least, most, onChange }: NumberProps) {
  const [typed, setTyped] = useState(String(value));
  useEffect(() => setTyped(String(value)), [value]);
  const fits = (text: string) => /^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most;
  return (
    <label class="field">
      {label}
      <input
        type="number"
        min={least}
        max={most}
        step={1}
        value={typed}
        aria-invalid={!fits(typed)}
        title={`a whole number from ${least} to ${most}`}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          if (fits(event.currentTarget.value)) onChange(Number(event.currentTarget.value));
        }}
        onBlur={() => setTyped(String(value))}
      />
    </label>
  );
}

export function Slider({ label, value, least, most, step, onChange }: NumberProps & { step: number }) {
  return (
    <label class="field slider">
      <span class="row spread">
        {label} <span class="number">{Number(value.toPrecision(3))}</span>
      </span>
      <input
        type="range"
        min={least}
        max={Math.max(most, value)}
        step={step}
        value={value}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
    </label>
  );
}

/** A number above 0 that is chosen from a row of usual ones; another may be typed. */
export function Rate({
  label,
  value,
  usual,
  least,
  onChange,
}: {
  label: string;
  value: number;
  usual: number[];
  least: number;
  onChange: (value: number) => void;
}) {
  const [typed, setTyped] = useState(String(value));
  useEffect(() => setTyped(String(value)), [value]);
  const fits = (text: string) =>
    text.trim() !== "" && Number.isFinite(Number(text)) && Number(text) >= least && Number(text) <= 1e6;
  const by = (direction: number) => {
    const next = direction > 0 ? usual.find((x) => x > value * 1.0001) : usual.findLast((x) => x < value * 0.9999);
    if (next !== undefined) onChange(next);
  };
  return (
    <div class="field rate">
      <label for={`rate-${label}`}>{label}</label>
      <div class="stepper">
        <button aria-label={`${label} lower`} onClick={() => by(-1)}>
          −
        </button>
        <input
          id={`rate-${label}`}
          type="text"
          inputMode="decimal"
          value={typed}
          aria-invalid={!fits(typed)}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            if (fits(event.currentTarget.value)) onChange(Number(event.currentTarget.value));
          }}
          onBlur={() => setTyped(String(value))}
        />
        <button aria-label={`${label} higher`} onClick={() => by(1)}>
          +
        </button>
      </div>
    </div>
  );
}
