// A graph that stands still: a picture of a question, or of an answer.
import { useState } from "preact/hooks";
import { Graph, type Pointed } from "./Graph";
import type { StillOptions } from "./index";
import type { Scene } from "./model";
import { standing } from "./progress";
import { useLayout } from "./useLayout";

export function Still({ scene, options }: { scene: Scene; options: StillOptions }) {
  const [pointed, setPointed] = useState<Pointed>(null);
  const { layout, canvas } = useLayout(scene);
  const { onChoose } = options;
  return (
    <div class="canvas" ref={canvas}>
      <Graph
        scene={scene}
        layout={layout}
        standing={standing(scene, options.at ?? scene.steps.length)}
        showGradients={options.showGradients ?? true}
        pointed={pointed}
        onPoint={setPointed}
        onChoose={onChoose && ((index) => onChoose(scene.nodes[index]!.name))}
        asked={options.asked}
        chosen={options.chosen}
        label="The graph of the question"
      />
    </div>
  );
}
