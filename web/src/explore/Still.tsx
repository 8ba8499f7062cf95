// A graph that stands still: a picture of a question, or of an answer.
import { useState } from "preact/hooks";
import { Graph, type Hovered } from "./Graph";
import type { StillOptions } from "./index";
import type { Scene } from "./model";
import { progressAt } from "./progress";
import { useLayout } from "./useLayout";

export function Still({ scene, options }: { scene: Scene; options: StillOptions }) {
  const [hovered, setHovered] = useState<Hovered>(null);
  const { layout, canvas } = useLayout(scene);
  const { onChoose } = options;
  return (
    <div class="canvas" ref={canvas}>
      <Graph
        scene={scene}
        layout={layout}
        progress={progressAt(scene, options.at ?? scene.steps.length)}
        showGradients={options.showGradients ?? true}
        hovered={hovered}
        onHover={setHovered}
        onChoose={onChoose && ((index) => onChoose(scene.nodes[index]!.name))}
        asked={options.asked}
        chosen={options.chosen}
        label="The graph of the question"
      />
    </div>
  );
}
