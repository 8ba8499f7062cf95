// Explore: an expression, its inputs, its graph, and the two passes step by step.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Details } from "./Details";
import { Exports } from "./Exports";
import { Graph, type Pointed } from "./Graph";
import { Inputs } from "./Inputs";
import { arranged, keyOf, type Layout } from "./layout";
import type { Model, Preset, Scene } from "./model";
import { Nudge } from "./Nudge";
import { Player, Sentence } from "./Player";
import { largestGradient, standing } from "./progress";
import type { Wire } from "../numbers";

/** A trait of the model, which changes when the model does. */
function useTrait<T>(model: Model, name: string): T {
  const [value, setValue] = useState(() => model.get(name) as T);
  useEffect(() => {
    const changed = () => setValue(() => model.get(name) as T);
    changed();
    model.on(`change:${name}`, changed);
    return () => model.off(`change:${name}`, changed);
  }, [model, name]);
  return value;
}

/** Where the boxes are; computed again only when the graph is another one. */
function useLayout(scene: Scene, direction: "LR" | "TB"): Layout {
  const kept = useRef<Layout | null>(null);
  const key = keyOf(scene, direction);
  if (kept.current?.key !== key) kept.current = arranged(scene, direction);
  return kept.current;
}

export function Explore({ model }: { model: Model }) {
  const scene = useTrait<Scene | null>(model, "scene");
  const error = useTrait<string>(model, "error");
  return (
    <div class="explore">
      {model.get("kind") === "expression" && <ExpressionBox model={model} error={error} />}
      {scene ? <Stage model={model} scene={scene} /> : !error && <p class="soft">…</p>}
    </div>
  );
}

function ExpressionBox({ model, error }: { model: Model; error: string }) {
  const expression = useTrait<string>(model, "expression");
  const presets = useTrait<Preset[]>(model, "presets") ?? [];
  const change = (text: string, numbers?: Record<string, number>) => {
    model.set("expression", text);
    if (numbers) model.set("numbers", { ...numbers });
    if (numbers) model.set("at", null);
    model.save_changes();
  };
  return (
    <section class="expression card" aria-label="Expression">
      <label class="box">
        <span class="small soft">Expression</span>
        <input
          type="text"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={expression}
          aria-invalid={Boolean(error)}
          aria-describedby={error ? "expression-error" : undefined}
          onInput={(event) => change(event.currentTarget.value)}
        />
      </label>
      <div class="row presets" role="group" aria-label="Examples">
        {presets.map((preset) => (
          <button key={preset.title} class="chip" aria-pressed={preset.expression === expression} onClick={() => change(preset.expression, preset.numbers)}>
            {preset.title}
          </button>
        ))}
      </div>
      {error && (
        <pre id="expression-error" class="callout" role="alert">
          {error}
        </pre>
      )}
    </section>
  );
}

function Stage({ model, scene }: { model: Model; scene: Scene }) {
  const numbers = useTrait<Record<string, number>>(model, "numbers") ?? {};
  const wanted = useTrait<number | null | undefined>(model, "at");
  const last = scene.steps.length;
  const at = Math.min(wanted ?? last, last);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [showGradients, setShowGradients] = useState(true);
  const [pointed, setPointed] = useState<Pointed>(null);
  const [direction, setDirection] = useState<"LR" | "TB">("LR");
  const stage = useRef<HTMLDivElement>(null);
  const layout = useLayout(scene, direction);
  const now = useMemo(() => standing(scene, at), [scene, at]);
  const largest = useMemo(() => largestGradient(scene), [scene]);

  const go = useCallback(
    (to: number) => {
      model.set("at", Math.max(0, Math.min(last, to)));
      model.save_changes();
    },
    [model, last],
  );
  const place = useRef({ at, go, last });
  place.current = { at, go, last };

  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => {
      const { at, go, last } = place.current;
      if (at >= last) return setPlaying(false);
      go(at + 1);
    }, 900 / speed);
    return () => clearInterval(timer);
  }, [playing, speed]);

  const play = useCallback(() => {
    if (!playing && at >= last) go(0);
    setPlaying(!playing);
  }, [playing, at, last, go]);
  const jump = useCallback(
    (to: number) => {
      setPlaying(false);
      go(to);
    },
    [go],
  );

  useLayoutEffect(() => {
    const measure = () => setDirection((stage.current?.clientWidth ?? 1000) < 560 ? "TB" : "LR");
    measure();
    const watch = new ResizeObserver(measure);
    if (stage.current) watch.observe(stage.current);
    return () => watch.disconnect();
  }, []);

  const keys = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, select, textarea")) return;
    if (event.key === " " && target.matches("button, summary")) return;
    const doing = { " ": play, ArrowRight: () => jump(at + 1), ArrowLeft: () => jump(at - 1), r: () => jump(0), R: () => jump(0), Home: () => jump(0), End: () => jump(last) }[event.key];
    if (!doing) return;
    event.preventDefault();
    doing();
  };
  useEffect(() => {
    // In the page the keys work wherever the focus is; in a notebook only within the component.
    const home: EventTarget = model.get("kind") === "widget" ? stage.current!.closest(".explore")! : document;
    const heard = keys as (event: Event) => void;
    home.addEventListener("keydown", heard);
    return () => home.removeEventListener("keydown", heard);
  });

  useEffect(() => {
    // What happens is in sight: in a graph that is wider than its canvas, the canvas follows the step.
    const box = now.step && layout.boxes[now.step.node];
    const canvas = stage.current;
    if (!box || !canvas || canvas.scrollWidth <= canvas.clientWidth) return;
    canvas.scrollTo({ left: (box.x / layout.width) * canvas.scrollWidth - canvas.clientWidth / 2, behavior: "smooth" });
  }, [now.step, layout]);

  const gradients: Record<string, Wire> = {};
  for (const node of scene.nodes) if (scene.inputs.includes(node.name) && !node.op) gradients[node.name] = node.grad as Wire;
  const move = useCallback(
    (name: string, x: number) => {
      model.set("numbers", { ...(model.get("numbers") as Record<string, number>), [name]: x });
      model.save_changes();
    },
    [model],
  );
  const isLive = model.get("kind") !== "recording";
  const title = model.get("title") as string | undefined;

  return (
    <div class="stage">
      {title && <h2 class="stage-title">{title}</h2>}
      {scene.inputs.length > 0 && isLive && (
        <section class="card side" aria-label="Inputs and nudge">
          <div class="row spread">
            <h3>Inputs</h3>
            {showGradients && <span class="small soft">gradient</span>}
          </div>
          <Inputs names={scene.inputs} numbers={numbers} gradients={gradients} showGradients={showGradients} disabled={false} onMove={move} />
          <Nudge model={model} names={scene.inputs} numbers={numbers} />
        </section>
      )}
      <section class="card board" aria-label="Graph">
        <Player scene={scene} at={at} playing={playing} speed={speed} onGo={jump} onPlay={play} onSpeed={setSpeed} />
        <div class="told-and-pointed">
          <Sentence step={now.step} at={at} />
          <Details scene={scene} layout={layout} pointed={pointed} />
        </div>
        <div class="canvas" ref={stage}>
          <Graph scene={scene} layout={layout} standing={now} showGradients={showGradients} largest={largest} pointed={pointed} onPoint={setPointed} label="The graph; Tab goes through its nodes in the order of evaluation" />
        </div>
        <div class="row spread foot">
          <label class="row small">
            <input type="checkbox" checked={showGradients} onChange={(event) => setShowGradients(event.currentTarget.checked)} />
            show gradients
          </label>
          <Exports model={model} at={at} picture={() => stage.current?.querySelector("svg") ?? null} />
        </div>
      </section>
    </div>
  );
}
