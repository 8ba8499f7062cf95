// A graph without a player, as in the questions of the quiz and in lessons.
import { useState } from "preact/hooks";
import { Graph } from "./Graph";
import type { Hovered, Scene } from "./model";
import { progressAt } from "./progress";
import { useLayout } from "./useLayout";

export interface StillOptions {
  /** The number of steps taken; all of them by default. */
  at?: number;
  showGradients?: boolean;
  /** Names of nodes that show a question mark instead of their gradient. */
  questions?: string[];
  selection?: string[];
  /** Called with the name of the node that the user selects; without it nodes cannot be selected. */
  onSelect?: (name: string) => void;
}

export function Still({ scene, options }: { scene: Scene; options: StillOptions }) {
  const [hovered, setHovered] = useState<Hovered>(null);
  const { layout, canvas } = useLayout(scene);
  const { onSelect } = options;
  return (
    <div class="canvas" ref={canvas}>
      <Graph
        scene={scene}
        layout={layout}
        progress={progressAt(scene, options.at ?? scene.steps.length)}
        showGradients={options.showGradients ?? true}
        hovered={hovered}
        onHover={setHovered}
        onSelect={onSelect && ((index) => onSelect(scene.nodes[index]!.name))}
        questions={options.questions}
        selection={options.selection}
        label="Computation graph"
      />
    </div>
  );
}
