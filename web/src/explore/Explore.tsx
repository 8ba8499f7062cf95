// Explore: an expression, its inputs, its graph, and the forward and backward pass step by step.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Details } from "./Details";
import { Exports } from "./Exports";
import { Graph } from "./Graph";
import { Inputs } from "./Inputs";
import { memo } from "./memo";
import type { Hovered, Model, Preset, Scene } from "./model";
import { Nudge } from "./Nudge";
import { Player, Sentence } from "./Player";
import { progressAt } from "./progress";
import { useSetting, useTrait } from "./traits";
import { useLater, useNumbers } from "./useLater";
import { useLayout } from "./useLayout";
import { useScene } from "./useScene";

/** Keep JupyterLab from handling the keys of the focused element; its shortcuts would take the arrow keys of sliders. */
function keepKeys(event: FocusEvent): void {
  (event.target as Element).setAttribute("data-lm-suppress-shortcuts", "true");
}

export function Explore({ model }: { model: Model }) {
  const scene = useScene(model);
  const error = useTrait<string>(model, "error");
  return (
    <div class="explore" onFocusIn={keepKeys}>
      {model.get("kind") === "expression" && <ExpressionBox model={model} error={error} />}
      {scene ? <Stage model={model} scene={scene} /> : !error && <p class="soft">…</p>}
    </div>
  );
}

const ExpressionBox = memo(({ model, error }: { model: Model; error: string }) => {
  const expression = useTrait<string>(model, "expression");
  const presets = useTrait<Preset[]>(model, "presets") ?? [];
  const notes = useTrait<string>(model, "notes");
  const change = (text: string, numbers?: Record<string, number>) => {
    model.set("expression", text);
    if (numbers) model.set("numbers", { ...numbers });
    if (numbers) model.set("at", null);
    model.save_changes();
  };
  return (
    <section class="expression card" aria-label="Expression">
      <div class="box">
        <div class="row spread small soft">
          <label for="expression-text">Expression</label>
          <span id="expression-hint">A line such as d = a*b names a node.</span>
        </div>
        {/* The wrapper repeats the text invisibly, so that the field is as high as its lines. */}
        <div class="growing" data-text={expression}>
          <textarea
            id="expression-text"
            rows={1}
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            value={expression}
            aria-invalid={Boolean(error)}
            aria-describedby={error ? "expression-error" : "expression-hint"}
            onInput={(event) => change(event.currentTarget.value)}
          />
        </div>
      </div>
      <div class="row presets" role="group" aria-label="Examples">
        {presets.map((preset) => (
          <button
            type="button"
            key={preset.title}
            class="chip"
            aria-pressed={preset.expression === expression}
            onClick={() => change(preset.expression, preset.numbers)}
          >
            {preset.title}
          </button>
        ))}
      </div>
      {error && <ExpressionError text={error} />}
      {notes && !error && (
        <p class="small soft" role="status" data-testid="notes">
          {notes}
        </p>
      )}
    </section>
  );
});

/** A message that wraps, and the marked line below it, which does not: the caret stays below its character. */
function ExpressionError({ text }: { text: string }) {
  const [message, ...marked] = text.split("\n");
  return (
    <pre id="expression-error" class="callout" role="alert">
      {message}
      {marked.length > 0 && (
        <>
          {"\n"}
          {/* The focus allows keys to scroll a line that is longer than the page. */}
          <code class="marked" tabIndex={0}>
            {marked.join("\n")}
          </code>
        </>
      )}
    </pre>
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
  const progress = useMemo(() => progressAt(scene, at), [scene, at]);
  const later = useLater(scene);
  const laterProgress = useMemo(() => (later === scene ? progress : progressAt(later, at)), [later, progress, at]);
  const forward = useMemo(() => scene.steps.filter((step) => step.phase === "forward").length, [scene]);

  // Keys may arrive faster than the page renders, so the current step is read from the model, not from the last render.
  const currentStep = useCallback(() => clampStep(model.get("at") as number | null | undefined, last), [model, last]);
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
  const step = useCallback((by: number) => jump(currentStep() + by), [jump, currentStep]);
  const play = useCallback(() => {
    if (!playing && currentStep() >= last) go(0);
    setPlaying(!playing && last > 0);
  }, [playing, currentStep, last, go]);
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => {
      if (currentStep() < last) go(currentStep() + 1);
      if (currentStep() >= last) setPlaying(false);
    }, 900 / speed);
    return () => clearInterval(timer);
  }, [playing, speed, currentStep, last, go]);

  const handleKey = (event: KeyboardEvent) => {
    const isOn = (selector: string) => event.target instanceof Element && event.target.matches(selector);
    if (
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isOn("input, select, textarea, pre")
    )
      return;
    if (event.key === " " && isOn("button")) return;
    const action = {
      " ": play,
      ArrowRight: () => step(1),
      ArrowLeft: () => step(-1),
      r: () => jump(0),
      R: () => jump(0),
      Home: () => jump(0),
      End: () => jump(last),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  const newest = useRef(handleKey);
  newest.current = handleKey;
  useLayoutEffect(() => {
    // In the page, keys work wherever the focus is; in a notebook, only within the component.
    const target: EventTarget = model.get("kind") === "widget" ? canvas.current!.closest(".explore")! : document;
    const onKey = (event: Event) => newest.current(event as KeyboardEvent);
    target.addEventListener("keydown", onKey);
    return () => target.removeEventListener("keydown", onKey);
  }, [model]);

  useEffect(() => {
    // Scroll to the current step if the graph is larger than its canvas.
    const [box, element] = [progress.step && layout.boxes[progress.step.parent ?? progress.step.node], canvas.current];
    if (!box || !element) return;
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
    element.scrollTo({
      left: (box.x / layout.width) * scrollWidth - clientWidth / 2,
      top: (box.y / layout.height) * scrollHeight - clientHeight / 2,
      behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth",
    });
  }, [progress.step?.phase, progress.step?.node, progress.step?.operand, layout]);

  const move = useCallback(
    (name: string, x: number) => {
      model.set("numbers", { ...(model.get("numbers") as Record<string, number>), [name]: x });
      model.save_changes();
    },
    [model],
  );
  const gradients = useMemo(
    () =>
      new Map(
        later.nodes.filter((node) => !node.op).map((node) => [node.name, laterProgress.grads[node.index] ?? null]),
      ),
    [later, laterProgress],
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
        <div class="step-and-details">
          <Sentence
            step={laterProgress.step}
            at={at > forward ? at - forward : at}
            isOutdated={later.isOutdated ?? false}
          />
          <Details
            scene={later}
            layout={layout}
            progress={laterProgress}
            hovered={hovered}
            showGradients={showGradients}
          />
        </div>
        <div class="canvas" ref={canvas}>
          <Graph
            scene={scene}
            layout={layout}
            progress={progress}
            showGradients={showGradients}
            hovered={hovered}
            onHover={setHovered}
            label="Computation graph; Tab moves through the nodes in evaluation order"
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

/** The number of steps taken; all of them by default. */
function clampStep(at: number | null | undefined, last: number): number {
  return Math.min(at ?? last, last);
}
