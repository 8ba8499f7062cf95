// The table of cases: the output of the network for each sample of a small data set, and the activations of one of them.
import "./cases.css";
import { formatNumber } from "../../shared/numbers";
import { Mark } from "../../shared/plane/marks";
import type { Sample } from "./messages";
import { type Case, cases, exploreSample, isBinary, selectCase, selectedCase, state } from "./room";

export function Cases() {
  const now = state.value!;
  const rows = cases.value;
  if (!rows.length) return null;
  const count = now.samples.length;
  return (
    <section class="card cases" aria-label="Cases">
      <div class="row spread">
        <h3>{count > rows.length ? `The first ${rows.length} of ${count} cases` : "Cases"}</h3>
        <p class="small soft">{explainOutput()}</p>
      </div>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">case</th>
              {now.samples[0]!.inputs.map((_, i) => (
                <th scope="col" key={i}>
                  x{i + 1}
                </th>
              ))}
              <th scope="col">output</th>
              <th scope="col">target</th>
              <th scope="col">correct</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <Row key={i} index={i} row={row} sample={now.samples[i]!} />
            ))}
          </tbody>
        </table>
      </div>
      <Activations />
    </section>
  );
}

function explainOutput(): string {
  if (!state.value!.is_probability) return "raw output, correct if its sign is that of the target";
  return isBinary.value ? `output: probability of class ${state.value!.labels[1]}` : "output: the most probable class";
}

function Row({ index, row, sample }: { index: number; row: Case; sample: Sample }) {
  const isSelected = selectedCase.value === index;
  const { labels } = state.value!;
  const toggle = () => selectCase(isSelected ? null : index);
  return (
    <tr class={isSelected ? "chosen" : ""} onClick={toggle}>
      <th scope="row">
        <button
          type="button"
          aria-pressed={isSelected}
          aria-label={`Case ${index + 1}${sample.is_test ? ", test sample" : ""}`}
          onClick={(event) => {
            event.stopPropagation();
            toggle();
          }}
        >
          {index + 1}
        </button>
        {sample.is_test && <span class="small soft"> test</span>}
      </th>
      {sample.inputs.map((x, i) => (
        <td key={i} class="number">
          {formatNumber(x, 3)}
        </td>
      ))}
      <td class="number result" data-testid={`output-${index + 1}`}>
        <Result output={row.output} />
      </td>
      <td class="number" title={`class ${labels[sample.label]}`}>
        <Mark label={sample.label} /> {isBinary.value ? formatNumber(sample.target) : labels[sample.label]}
      </td>
      <td class={row.isCorrect ? "correct" : "wrong"}>
        <span aria-hidden="true">{row.isCorrect ? "✓" : "✗"}</span>
        <span class="unseen">{row.isCorrect ? "yes" : "no"}</span>
      </td>
    </tr>
  );
}

/** The output for two classes; for more, the most probable class and its probability. */
function Result({ output }: { output: number[] }) {
  const best = Math.max(...output);
  if (!state.value!.is_probability || Number.isNaN(best)) return <>{formatNumber(output[0], 3)}</>;
  if (isBinary.value) return <>{best.toFixed(3)}</>;
  return (
    <>
      <Mark label={output.indexOf(best)} /> {best.toFixed(3)}
    </>
  );
}

/** The activations of every layer for the selected case. */
function Activations() {
  const index = selectedCase.value;
  const row = index === null ? null : cases.value[index];
  if (index === null || !row) return <p class="small soft">Select a case to see the activation of each neuron.</p>;
  const last = row.layers.length - 1;
  const outputName = !state.value!.is_probability ? "output" : isBinary.value ? "score" : "scores";
  return (
    <div class="activations">
      <div class="row spread">
        <h4>Activations for case {index + 1}</h4>
        <button type="button" class="small" onClick={() => void exploreSample(index)}>
          Graph in Explore
        </button>
      </div>
      <dl>
        {row.layers.slice(1).map((layer, k) => (
          <div key={k}>
            <dt>{k + 1 === last ? outputName : `layer ${k + 1}`}</dt>
            <dd class="number">{layer.map((x) => formatNumber(x, 3)).join("  ")}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
