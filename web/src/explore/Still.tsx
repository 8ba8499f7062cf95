// A graph that stands still: a picture of a question, or of an answer.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Graph, type Pointed } from "./Graph";
import type { StillOptions } from "./index";
import { arranged } from "./layout";
import type { Scene } from "./model";
import { largestGradient, standing } from "./progress";

export function Still({ scene, options }: { scene: Scene; options: StillOptions }) {
  const [pointed, setPointed] = useState<Pointed>(null);
  const [direction, setDirection] = useState<"LR" | "TB">("LR");
  const at = useRef<HTMLDivElement>(null);
  const layout = useMemo(() => arranged(scene, direction), [scene, direction]);
  const now = standing(scene, options.at ?? scene.steps.length);
  useLayoutEffect(() => {
    const width = at.current?.clientWidth ?? 1000;
    if (width < 560) setDirection("TB");
  }, []);
  const { onChoose } = options;
  return (
    <div class="canvas" ref={at}>
      <Graph
        scene={scene}
        layout={layout}
        standing={now}
        showGradients={options.showGradients ?? true}
        largest={largestGradient(scene)}
        pointed={pointed}
        onPoint={setPointed}
        onChoose={onChoose && ((node) => onChoose(node.name))}
        asked={options.asked}
        chosen={options.chosen}
        label="The graph of the question"
      />
    </div>
  );
}
