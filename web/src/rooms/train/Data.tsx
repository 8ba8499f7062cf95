// The data: a data set, points that the user adds, or a CSV file.
import { useRef, useState } from "preact/hooks";
import { shape } from "../../shared/plane/marks";
import { Choice, Slider, Whole } from "./fields";
import { choices, choose, configuration, countSamples, loadFile, set } from "./room";

const NAMES: Record<string, string> = {
  xor: "XOR",
  and: "AND",
  or: "OR",
  four_points: "Four points",
  circles: "Circles",
  moons: "Moons",
  spirals: "Spirals",
  blobs: "Blobs",
  points: "Points",
  csv: "CSV",
};
/** The icons of data sets that have no thumbnail. */
const ICONS: Record<string, string> = {
  points: "M28 14v28M14 28h28",
  four_points: "M28 30V10M28 30L10 42M28 30L46 42",
};

function Thumbnail({ samples }: { samples: [number, number, number][] }) {
  const xs = samples.map(([x]) => x),
    ys = samples.map(([, y]) => y);
  const middle = [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2] as const;
  const extent = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) || 1;
  const scale = samples.length > 12 ? 0.42 : 0.9;
  return (
    <svg class="points" viewBox="0 0 56 56" aria-hidden="true">
      {samples.map(([x, y, label], i) => (
        <path
          key={i}
          class={`class-${label}`}
          d={shape(label)}
          transform={`translate(${(28 + (44 * (x - middle[0])) / extent).toFixed(1)} ${(28 - (44 * (y - middle[1])) / extent).toFixed(1)}) scale(${scale})`}
        />
      ))}
    </svg>
  );
}

function Icon({ d }: { d: string }) {
  return (
    <svg class="sign" viewBox="0 0 56 56" aria-hidden="true">
      <path d={d} />
    </svg>
  );
}

export function Data() {
  const now = configuration.value!;
  const file = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const hasClasses = now.dataset === "blobs" || now.dataset === "spirals" || now.dataset === "points";
  const isGenerated = now.dataset in choices.value!.thumbnails;
  const take = (chosen: File | undefined) => {
    if (chosen) void loadFile(chosen);
  };
  return (
    <section
      class={`card data${isOver ? " over" : ""}`}
      aria-label="Data"
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        take(event.dataTransfer?.files[0]);
      }}
    >
      <div class="sets" role="group" aria-label="Data sets">
        {choices.value!.presets.map(({ dataset }) => (
          <button
            type="button"
            key={dataset}
            class="set"
            aria-pressed={now.dataset === dataset}
            onClick={() => choose(dataset)}
          >
            {ICONS[dataset] ? <Icon d={ICONS[dataset]} /> : <Thumbnail samples={choices.value!.thumbnails[dataset]!} />}
            <span>{NAMES[dataset]}</span>
          </button>
        ))}
        <button
          type="button"
          class="set"
          aria-pressed={now.dataset === "csv"}
          title="A CSV file with the columns x1, x2, … and class; you can also drop it here"
          onClick={() => file.current!.click()}
        >
          <Icon d="M16 12h24v32H16zM16 22h24M16 32h24M28 22v22" />
          <span>CSV …</span>
        </button>
        <input
          ref={file}
          type="file"
          accept=".csv,text/csv"
          class="unseen"
          tabIndex={-1}
          aria-label="CSV file"
          onChange={(event) => take(event.currentTarget.files?.[0])}
        />
      </div>
      <div class="fields">
        {isGenerated && (
          <Whole label="Samples" value={now.samples} min={4} max={500} onChange={(samples) => set({ samples })} />
        )}
        {isGenerated && (
          <Slider
            label="Noise"
            value={now.noise}
            min={0}
            max={now.dataset === "blobs" ? 3 : 0.5}
            step={now.dataset === "blobs" ? 0.1 : 0.01}
            onChange={(noise) => set({ noise })}
          />
        )}
        {hasClasses && (
          <Whole label="Classes" value={now.classes} min={2} max={8} onChange={(classes) => set({ classes })} />
        )}
        {now.dataset !== "points" && (
          <Choice
            label="Test fraction"
            value={String(now.held_out)}
            options={testFractions(now.held_out)}
            onChange={(part) => set({ held_out: Number(part) })}
          />
        )}
        <Whole label="Seed" value={now.seed} min={0} max={999999} onChange={(seed) => set({ seed })} />
        <p class="small soft counts">
          {countSamples(false)} training samples, {countSamples(true)} test samples
        </p>
      </div>
    </section>
  );
}

function testFractions(now: number): [string, string][] {
  return [...new Set([0, 0.1, 0.25, 0.5, now])]
    .sort((a, b) => a - b)
    .map((part) => [String(part), part ? `${Math.round(100 * part)} %` : "none"]);
}
