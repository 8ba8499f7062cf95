// The graph of a question: what is asked for is marked, and all that would tell the answer is not there.
import { still } from "adjoint-explore";
import { useEffect, useRef } from "preact/hooks";
import type { Scene } from "../../explore/model";
import type { Question, Verdict } from "./course";

interface Props {
  question: Question;
  scene: Scene;
  verdict: Verdict | null;
  chosen: string[];
  onChoose: ((name: string) => void) | undefined;
}

export function Picture({ question, scene, verdict, chosen, onChoose }: Props) {
  const at = useRef<HTMLDivElement>(null);
  const { about } = question;
  useEffect(() => {
    const isOpen = verdict === null;
    const ends = about?.parent ? [about.node, about.parent] : [];
    still(at.current!, scene, {
      at: Infinity, // everything that the scene has, and no step of it lit
      showGradients: !isOpen || (about?.what !== "value" && question.kind !== "order"),
      asked: isOpen && about?.what === "gradient" ? [about.node] : [],
      chosen: [...(isOpen ? ends : about ? [about.parent ?? about.node] : []), ...chosen],
      ...(isOpen && onChoose ? { onChoose } : {}),
    });
  });
  useEffect(() => {
    const home = at.current!;
    return () => still(home, scene)();
  }, []);
  return <div class="picture" ref={at} />;
}
