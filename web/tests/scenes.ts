// The scene of out = a*b + a at a = 2, b = 3. By the chain rule: ∂out/∂a = b + 1 = 4 and ∂out/∂b = a = 2.
import type { Scene } from "../src/explore/model";

export function productPlusInput(): Scene {
  const node = (index: number, name: string, data: number, grad: number) => ({ index, name, data, grad });
  const leaf = { op: "", sign: "", operands: [], formula: "", uses: 1 };
  return {
    inputs: ["a", "b"],
    computable: true,
    root: 3,
    nodes: [
      { ...leaf, ...node(0, "a", 2, 4), uses: 2 },
      { ...leaf, ...node(1, "b", 3, 2) },
      { ...node(2, "v1", 6, 1), op: "*", sign: "×", operands: [{ node: 0 }, { node: 1 }], formula: "a * b", uses: 1 },
      {
        ...node(3, "out", 8, 1),
        op: "+",
        sign: "+",
        operands: [{ node: 2 }, { node: 0 }],
        formula: "v1 + a",
        uses: 0,
      },
    ],
    steps: [
      { phase: "forward", node: 2, text: "v1 = a * b = 2 × 3 = 6" },
      { phase: "forward", node: 3, text: "out = v1 + a = 6 + 2 = 8" },
      { phase: "seed", node: 3, text: "out.grad = 1" },
      backward({ node: 3, operand: 0, parent: 2, local: 1, incoming: 1, contribution: 1, before: 0, after: 1 }),
      backward({ node: 3, operand: 1, parent: 0, local: 1, incoming: 1, contribution: 1, before: 0, after: 1 }),
      backward({ node: 2, operand: 0, parent: 0, local: 3, incoming: 1, contribution: 3, before: 1, after: 4 }),
      backward({ node: 2, operand: 1, parent: 1, local: 2, incoming: 1, contribution: 2, before: 0, after: 2 }),
    ],
  };
}

function backward(fields: Omit<Scene["steps"][number], "phase" | "text">): Scene["steps"][number] {
  return { phase: "backward", text: `step ${fields.node}.${fields.operand}`, ...fields };
}
