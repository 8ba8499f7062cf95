// The input plane: the prediction of the network, or the response of the neuron in focus, and the samples.
import { useRef, useState } from "preact/hooks";
import { formatNumber } from "../../shared/numbers";
import { Mark } from "../../shared/plane/marks";
import { fromUnitSquare, HeatMap, Points, toUnitSquare } from "../../shared/plane/Plane";
import {
  add,
  error,
  exploreSample,
  focus,
  focusMap,
  isBinary,
  maps,
  planeSamples,
  playing,
  pointClass,
  probe,
  probePoint,
  selectedCase,
  selectedSample,
  state,
  undo,
} from "./room";

const NEAR = 0.022; // how close to a sample a click selects it, relative to the side of the plane

/** The name of a neuron. */
export function nameOf(layer: number, neuron: number): string {
  const now = state.value!;
  if (layer === 0) return `input x${neuron + 1}`;
  if (layer === now.sizes.length - 1) return isBinary.value ? "output" : `output for class ${now.labels[neuron]}`;
  return `neuron ${neuron + 1} of layer ${layer}`;
}

export function Output() {
  const now = state.value!;
  const plane = useRef<HTMLDivElement>(null);
  const samples = planeSamples.value;
  const sample = selectedSample.value;

  const placeOf = (event: MouseEvent): [number, number] => {
    const box = plane.current!.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  const nearest = (across: number, down: number): number | null => {
    let closest: number | null = null;
    let distance = NEAR;
    samples.forEach(([x1, x2], i) => {
      const [a, d] = toUnitSquare(now, x1, x2);
      const far = Math.hypot(a - across, d - down);
      if (far < distance) [distance, closest] = [far, i];
    });
    return closest;
  };
  const click = (event: MouseEvent) => {
    const [across, down] = placeOf(event);
    const index = nearest(across, down);
    if (index !== null) {
      void exploreSample(index);
      return;
    }
    const [x1, x2] = fromUnitSquare(now, across, down);
    void add(Number(x1.toPrecision(4)), Number(x2.toPrecision(4)), pointClass.value);
  };
  const move = (event: MouseEvent) => {
    const [across, down] = placeOf(event);
    selectedSample.value = nearest(across, down);
    probePoint.value = fromUnitSquare(now, across, down);
  };
  const leave = () => {
    selectedSample.value = null;
    probePoint.value = null;
  };
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const count = samples.length;
    if (by && count) {
      event.preventDefault();
      const next = sample === null ? (by > 0 ? 0 : count - 1) : (sample + by + count) % count;
      selectedSample.value = next;
      probePoint.value = [samples[next]![0], samples[next]![1]];
    } else if (event.key === "Enter" && sample !== null) {
      event.preventDefault();
      void exploreSample(sample);
    } else if (event.key === "Escape") leave();
  };
  const neuron = focus.value;
  const title = neuron ? `Response of ${nameOf(neuron.layer, neuron.neuron)}` : "Prediction of the network";
  return (
    <section class="card output" aria-label="Output">
      <div class="row spread">
        <h3>{title}</h3>
        {focusMap.value && (
          <span class="small soft number">
            {formatNumber(focusMap.value.min, 3)} … {formatNumber(focusMap.value.max, 3)}
          </span>
        )}
      </div>
      <div
        class="plane"
        ref={plane}
        tabIndex={0}
        role="application"
        aria-label="Input plane with the samples. Arrow keys select a sample, Enter opens it in Explore, a click adds a point"
        aria-describedby="probe"
        onClick={click}
        onMouseMove={move}
        onMouseLeave={leave}
        onKeyDown={keys}
        onBlur={leave}
      >
        <HeatMap
          label={title}
          map={() =>
            focusMap.value
              ? { bytes: focusMap.value.bytes, isSigned: true }
              : maps.value && { bytes: maps.value.boundary, isSigned: maps.value.isSigned }
          }
        />
        <Points bounds={now} samples={samples} selected={sample ?? selectedCase.value} />
      </div>
      <p class="small probe" id="probe" aria-live={playing.value ? "off" : "polite"}>
        <ProbeText />
      </p>
      <AddPoint />
    </section>
  );
}

function ProbeText() {
  const now = state.value!;
  const current = probe.value;
  const sample = selectedSample.value;
  if (!current)
    return (
      <span class="soft">
        Click to add a point, or click a sample to open its graph in Explore. Hollow markers are test samples.
      </span>
    );
  const scores = current.layers.at(-1)!;
  const [x1, x2, label, isTest] = sample === null ? [current.x1, current.x2, null, false] : planeSamples.value[sample]!;
  return (
    <>
      {sample !== null && (
        <>
          <b>Sample {sample + 1}</b> <Mark label={label!} /> class {now.labels[label!]}
          {isTest ? ", test sample" : ""} at{" "}
        </>
      )}
      <span class="number">
        ({formatNumber(x1, 3)}, {formatNumber(x2, 3)})
      </span>{" "}
      → {scores.length === 1 ? "score" : "scores"}{" "}
      <span class="number">{scores.map((x) => formatNumber(x, 3)).join(", ")}</span>: <Mark label={current.label} />{" "}
      class {now.labels[current.label]}
      {sample !== null && (label === current.label ? ", correct" : ", incorrect")}
    </>
  );
}

function AddPoint() {
  const now = state.value!;
  const [x1, setX1] = useState("");
  const [x2, setX2] = useState("");
  const isNumber = (text: string) => text.trim() !== "" && Number.isFinite(Number(text));
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isNumber(x1) || !isNumber(x2)) {
      error.value = "a point needs two coordinates; enter a number for x1 and for x2";
      return;
    }
    void add(Number(x1), Number(x2), pointClass.value).then((ok) => {
      if (ok) {
        setX1("");
        setX2("");
      }
    });
  };
  const hasAdded = now.configuration.points.length + now.changes.length > 0;
  return (
    <form class="add" aria-label="Add a point" onSubmit={submit}>
      <div class="row classes" role="group" aria-label="Class of added points">
        {now.labels.map((name, label) => (
          <button
            type="button"
            key={label}
            aria-pressed={pointClass.value === label}
            aria-label={`class ${name}`}
            title={`Add points of class ${name}`}
            onClick={() => (pointClass.value = label)}
          >
            <Mark label={label} size={16} />
            {name}
          </button>
        ))}
      </div>
      <div class="row">
        <input
          type="text"
          inputMode="decimal"
          aria-label="x1"
          placeholder="x1"
          value={x1}
          onInput={(event) => setX1(event.currentTarget.value)}
        />
        <input
          type="text"
          inputMode="decimal"
          aria-label="x2"
          placeholder="x2"
          value={x2}
          onInput={(event) => setX2(event.currentTarget.value)}
        />
        <button type="submit">Add</button>
        <button type="button" class="quiet" disabled={!hasAdded} onClick={() => void undo()}>
          Undo
        </button>
      </div>
    </form>
  );
}
