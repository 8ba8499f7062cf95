// Explore: an expression, its inputs, its graph, and the two passes step by step.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Details } from "./Details";
import { Exports } from "./Exports";
import { Graph, type Hovered } from "./Graph";
import { Inputs } from "./Inputs";
import type { Model, Preset, Scene } from "./model";
import { Nudge } from "./Nudge";
import { Player, Sentence } from "./Player";
import { progressAt } from "./progress";
import { useSetting, useTrait } from "./traits";
import { useLater, useNumbers } from "./useLater";
import { useLayout } from "./useLayout";

/** Keep the keys of what has the focus from JupyterLab, whose shortcuts would swallow the arrows of a slider. */
function keepKeys(event: FocusEvent): void {
  (event.target as Element).setAttribute("data-lm-suppress-shortcuts", "true");
}

export function Explore({ model }: { model: Model }) {
  const scene = useTrait<Scene | null>(model, "scene");
  const error = useTrait<string>(model, "error");
  return (
    <div class="explore" onFocusIn={keepKeys}>
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
          <button
            key={preset.title}
            class="chip"
            aria-pressed={preset.expression === expression}
            onClick={() => change(preset.expression, preset.numbers)}
          >
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
  const numbers = useNumbers(model);
  const last = scene.steps.length;
  const at = clampStep(useTrait<number | null | undefined>(model, "at"), last);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useSetting(model, "speed", 1);
  const [showGradients, setShowGradients] = useSetting(model, "gradients", true);
  const [hovered, setHovered] = useState<Hovered>(null);
  const { layout, canvas } = useLayout(scene);
  const now = useMemo(() => progressAt(scene, at), [scene, at]);
  const later = useLater(scene);
  const then = useMemo(() => (later === scene ? now : progressAt(later, at)), [later, now, at]);
  const forward = useMemo(() => scene.steps.filter((step) => step.phase === "forward").length, [scene]);

  // Keys come faster than the page is drawn: where the player stands is what the model says, not what is shown.
  const place = useCallback(() => clampStep(model.get("at") as number | null | undefined, last), [model, last]);
  const go = useCallback(
    (to: number) => {
      model.set("at", Math.max(0, Math.min(last, to)));
      model.save_changes();
    },
    [model, last],
  );
  const jump = useCallback(
    (to: number) => {
      setPlaying(false);
      go(to);
    },
    [go],
  );
  const step = useCallback((by: number) => jump(place() + by), [jump, place]);
  const play = useCallback(() => {
    if (!playing && place() >= last) go(0);
    setPlaying(!playing && last > 0);
  }, [playing, place, last, go]);
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => {
      if (place() < last) go(place() + 1);
      if (place() >= last) setPlaying(false);
    }, 900 / speed);
    return () => clearInterval(timer);
  }, [playing, speed, place, last, go]);

  const keys = (event: KeyboardEvent) => {
    const isAt = (kinds: string) => event.target instanceof Element && event.target.matches(kinds);
    if (
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isAt("input, select, textarea, pre")
    )
      return;
    if (event.key === " " && isAt("button")) return;
    const doing = {
      " ": play,
      ArrowRight: () => step(1),
      ArrowLeft: () => step(-1),
      r: () => jump(0),
      R: () => jump(0),
      Home: () => jump(0),
      End: () => jump(last),
    }[event.key];
    if (!doing) return;
    event.preventDefault();
    doing();
  };
  const newest = useRef(keys);
  newest.current = keys;
  useEffect(() => {
    // In the page the keys work wherever the focus is; in a notebook only within the component.
    const home: EventTarget = model.get("kind") === "widget" ? canvas.current!.closest(".explore")! : document;
    const heard = (event: Event) => newest.current(event as KeyboardEvent);
    home.addEventListener("keydown", heard);
    return () => home.removeEventListener("keydown", heard);
  }, [model]);

  useEffect(() => {
    // What happens is in sight: in a graph that is larger than its canvas, the canvas follows the step.
    const [box, shown] = [now.step && layout.boxes[now.step.parent ?? now.step.node], canvas.current];
    if (!box || !shown) return;
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = shown;
    shown.scrollTo({
      left: (box.x / layout.width) * scrollWidth - clientWidth / 2,
      top: (box.y / layout.height) * scrollHeight - clientHeight / 2,
      behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth",
    });
  }, [now.step?.phase, now.step?.node, now.step?.operand, layout]);

  const move = useCallback(
    (name: string, x: number) => {
      model.set("numbers", { ...(model.get("numbers") as Record<string, number>), [name]: x });
      model.save_changes();
    },
    [model],
  );
  const gradients = useMemo(
    () => new Map(later.nodes.filter((node) => !node.op).map((node) => [node.name, then.grads[node.index] ?? null])),
    [later, then],
  );
  const picture = useCallback(() => canvas.current?.querySelector("svg") ?? null, []);
  const isLive = model.get("kind") !== "recording";
  const title = model.get("title") as string | undefined;

  return (
    <div class={`stage ${scene.inputs.length > 0 && isLive ? "live" : ""}`}>
      {title && <h2 class="stage-title">{title}</h2>}
      {scene.inputs.length > 0 && isLive && (
        <section class="card side" aria-label="Inputs">
          <div class="row spread">
            <h3>Inputs</h3>
            {showGradients && <span class="small soft">gradient</span>}
          </div>
          <Inputs
            names={scene.inputs}
            numbers={numbers}
            gradients={gradients}
            showGradients={showGradients}
            onMove={move}
          />
        </section>
      )}
      <section class="card board" aria-label="Graph">
        <Player
          forward={forward}
          last={last}
          at={at}
          playing={playing}
          speed={speed}
          onGo={jump}
          onStep={step}
          onPlay={play}
          onSpeed={setSpeed}
        />
        <div class="told-and-pointed">
          <Sentence step={then.step} at={at} />
          <Details scene={later} layout={layout} progress={then} hovered={hovered} showGradients={showGradients} />
        </div>
        <div class="canvas" ref={canvas}>
          <Graph
            scene={scene}
            layout={layout}
            progress={now}
            showGradients={showGradients}
            hovered={hovered}
            onHover={setHovered}
            label="The graph; Tab goes through its nodes in the order of evaluation"
          />
        </div>
        <div class="row foot">
          <label class="row small">
            <input
              type="checkbox"
              checked={showGradients}
              onChange={(event) => setShowGradients(event.currentTarget.checked)}
            />
            show gradients
          </label>
          <Exports model={model} scene={later} at={at} picture={picture} />
        </div>
      </section>
      {scene.inputs.length > 0 && isLive && <Nudge model={model} scene={later} />}
    </div>
  );
}

/** The number of steps that have been taken: all of them, if nothing is said. */
function clampStep(at: number | null | undefined, last: number): number {
  return Math.min(at ?? last, last);
}
