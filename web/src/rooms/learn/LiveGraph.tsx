// A graph in the text: its inputs can be moved, and all values and gradients follow.
import { moveScene, still } from "adjoint-explore";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Scene } from "../../explore/model";
import { formatNumber } from "../../shared/numbers";
import { labAddress } from "./links";
import type { LiveGraph as Live } from "./messages";
import { moveGraph } from "./room";

export function LiveGraph({ graph, caption, lesson }: { graph: Live; caption: string; lesson: number }) {
  const container = useRef<HTMLDivElement>(null);
  const [numbers, setNumbers] = useState(graph.numbers);
  const [answer, setAnswer] = useState<Scene>(graph.scene);
  // The page computes the numbers itself until the engine's answer has them.
  const scene = useMemo(() => moveScene(answer, numbers, null), [answer, numbers]);
  const asking = useRef({ isBusy: false, newest: graph.numbers });

  const update = async (changed: Record<string, number>) => {
    setNumbers(changed);
    const state = asking.current;
    state.newest = changed;
    if (state.isBusy) return;
    state.isBusy = true;
    try {
      let sent: Record<string, number>;
      do {
        sent = state.newest;
        setAnswer((await moveGraph(graph.expression, sent)) as Scene);
      } while (sent !== state.newest);
    } catch {
      // The graph keeps its last numbers; the page reports a lost connection elsewhere.
    }
    state.isBusy = false;
  };

  useLayoutEffect(() => {
    still(container.current!, scene, { at: Infinity, showGradients: graph.gradients });
  }, [scene]);
  useEffect(() => {
    const element = container.current!;
    return () => still(element, graph.scene)();
  }, []);

  const isMoved = scene.inputs.some((name) => numbers[name] !== graph.numbers[name]);
  const query = scene.inputs.map((name) => `n.${name}=${numbers[name]}`).join("&");
  const expression = encodeURIComponent(withoutNumbers(graph.expression, scene.inputs));
  return (
    <figure class="live">
      <div class="graph-box" ref={container} />
      {scene.inputs.length > 0 && (
        <div class="sliders">
          {scene.inputs.map((name) => (
            <Slider
              key={name}
              name={name}
              value={numbers[name] ?? 0}
              initial={graph.numbers[name] ?? 0}
              onMove={(x) => void update({ ...numbers, [name]: x })}
            />
          ))}
        </div>
      )}
      <figcaption>
        <span>{caption}</span>
        <span class="row links">
          {isMoved && (
            <button type="button" class="quiet small" onClick={() => void update(graph.numbers)}>
              Reset numbers
            </button>
          )}
          <a class="small" href={labAddress(`explore?e=${expression}&${query}`, lesson)}>
            Open in Explore
          </a>
        </span>
      </figcaption>
    </figure>
  );
}

/** The statements without those that only give an input its number; the address has the numbers. */
function withoutNumbers(expression: string, inputs: string[]): string {
  const statements = expression.split(";").map((statement) => statement.trim());
  const kept = statements.filter((statement) => !inputs.includes(/^(\w+)\s*=/.exec(statement)?.[1] ?? ""));
  return kept.length ? kept.join("; ") : expression;
}

interface SliderProps {
  name: string;
  value: number;
  initial: number;
  onMove: (x: number) => void;
}

function Slider({ name, value, initial, onMove }: SliderProps) {
  const reach = Math.max(4, Math.ceil(2 * Math.abs(initial)));
  return (
    <label class="slider">
      <code>{name}</code>
      <input
        type="range"
        min={-reach}
        max={reach}
        step={reach / 80}
        value={value}
        onInput={(event) => onMove(Number(event.currentTarget.value))}
      />
      <span class="number">{formatNumber(value, 3)}</span>
    </label>
  );
}
