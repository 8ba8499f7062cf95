// Just the graph and its sliders, fitted to the element around it: for frames in other pages and the start page.
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { Graph } from "./Graph";
import { Inputs } from "./Inputs";
import type { Hovered, Model, Scene } from "./model";
import { progressAt } from "./progress";
import { useTrait } from "./traits";
import { useLater, useNumbers } from "./useLater";
import { useLayout } from "./useLayout";
import { useScene } from "./useScene";

export function Compact({ model }: { model: Model }) {
  const scene = useScene(model);
  const error = useTrait<string>(model, "error");
  const notes = useTrait<string>(model, "notes");
  return (
    <div class="explore compact">
      {error && (
        <pre class="callout" role="alert">
          {error}
        </pre>
      )}
      {scene ? <GraphWithInputs model={model} scene={scene} /> : !error && <p class="soft">{notes || "…"}</p>}
    </div>
  );
}

function GraphWithInputs({ model, scene }: { model: Model; scene: Scene }) {
  const numbers = useNumbers(model);
  const at = useTrait<number | null | undefined>(model, "at") ?? Infinity; // all steps, with none of them highlighted
  const showGradients = useTrait<boolean | undefined>(model, "gradients") ?? true;
  const [hovered, setHovered] = useState<Hovered>(null);
  const { layout, canvas } = useLayout(scene);
  const progress = useMemo(() => progressAt(scene, at), [scene, at]);
  const later = useLater(scene);
  const gradients = useMemo(() => {
    const { grads } = progressAt(later, at);
    return new Map(later.nodes.filter((node) => !node.op).map((node) => [node.name, grads[node.index] ?? null]));
  }, [later, at]);
  const move = useCallback(
    (name: string, x: number) => {
      model.set("numbers", { ...(model.get("numbers") as Record<string, number>), [name]: x });
      model.save_changes();
    },
    [model],
  );
  // A page with this one in a frame shows a picture until now.
  useEffect(() => {
    if (window.parent !== window) window.parent.postMessage({ adjoint: "drawn" }, "*");
  }, []);
  return (
    <>
      <div class="canvas" ref={canvas}>
        <Graph
          scene={scene}
          layout={layout}
          progress={progress}
          showGradients={showGradients}
          hovered={hovered}
          onHover={setHovered}
          smallest={0.5}
          label="Computation graph; Tab moves through the nodes in evaluation order"
        />
      </div>
      <Inputs
        names={scene.inputs}
        numbers={numbers}
        gradients={gradients}
        showGradients={showGradients}
        onMove={move}
      />
    </>
  );
}
