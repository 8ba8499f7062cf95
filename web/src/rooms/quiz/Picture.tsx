// The graph of a question: it marks the node in question and hides the numbers that would reveal the answer.
import { still } from "adjoint-explore";
import { useEffect, useRef } from "preact/hooks";
import type { Scene } from "../../explore/model";
import type { Question, Verdict } from "./messages";

interface Props {
  question: Question;
  scene: Scene;
  verdict: Verdict | null;
  selection: string[];
  onSelect: ((name: string) => void) | undefined;
}

export function Picture({ question, scene, verdict, selection, onSelect }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const { about } = question;
  useEffect(() => {
    const isOpen = verdict === null;
    const ends = about?.parent ? [about.node, about.parent] : [];
    still(container.current!, scene, {
      at: Infinity, // all steps taken, and none highlighted
      showGradients: !isOpen || (about?.what !== "value" && question.kind !== "order"),
      questions: isOpen && about?.what === "gradient" ? [about.node] : [],
      selection: [...(isOpen ? ends : about ? [about.parent ?? about.node] : []), ...selection],
      ...(isOpen && onSelect ? { onSelect } : {}),
    });
  });
  useEffect(() => {
    const element = container.current!;
    return () => still(element, scene)();
  }, []);
  return <div class="picture" ref={container} />;
}
