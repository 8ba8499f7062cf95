// The room Quiz: a question about a graph, an answer, and an explanation.
import "./quiz.css";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Scene } from "../../explore/model";
import { onState, stateOf } from "../../shared/fragment";
import { formatNumber } from "../../shared/numbers";
import { Answer, type Draft, isComplete, Text } from "./Answer";
import {
  answer,
  course,
  isWaiting,
  loadCatalog,
  next,
  problem,
  question,
  restore,
  retry,
  reveal,
  verdict,
} from "./course";
import type { Question } from "./messages";
import { Picture } from "./Picture";
import { StandingBar } from "./StandingBar";
import { TopicChoice } from "./Topics";
import { VerdictCard } from "./Verdict";

let hasStarted = false;

export function QuizRoom() {
  useEffect(() => {
    if (!hasStarted) {
      restore(stateOf("quiz"));
      void loadCatalog();
    }
    hasStarted = true;
    return onState("quiz", restore);
  }, []);
  const asked = question.value;
  return (
    <div class="quiz">
      <div class="room-title">
        <h2>Quiz</h2>
        <p>The engine computes the numbers of the questions and checks your answers.</p>
      </div>
      <StandingBar />
      <TopicChoice />
      {asked ? <QuestionCard key={`${course.value.number} ${asked.id}`} question={asked} /> : <Empty />}
    </div>
  );
}

function Empty() {
  if (!problem.value) return <div class="card asking" aria-busy="true" />;
  return (
    <div class="callout" role="alert">
      <p>{problem.value}</p>
      <button type="button" onClick={() => void retry()}>
        Try again
      </button>
    </div>
  );
}

function QuestionCard({ question }: { question: Question }) {
  const [draft, setDraft] = useState<Draft>(null);
  const newest = useRef<Draft>(null); // keys may arrive faster than the page renders
  const heading = useRef<HTMLHeadingElement>(null);
  const currentVerdict = verdict.value?.question === question.id ? verdict.value : null;
  const { kind, scene } = question;

  useLayoutEffect(() => {
    // "Next" removes the focused button, so the focus moves to the question, unless a number field has taken it.
    if (document.activeElement === document.body || document.activeElement === null)
      heading.current?.focus({ preventScroll: true });
  }, []);

  const updateDraft = (given: Draft) => {
    if (currentVerdict) return;
    problem.value = "";
    newest.current = given;
    setDraft(given);
  };
  const choose = (name: string) => {
    if (!question.nodes?.includes(name)) return;
    const taken = Array.isArray(newest.current) ? newest.current : [];
    updateDraft(
      kind === "node" ? name : taken.includes(name) ? taken.filter((other) => other !== name) : [...taken, name],
    );
  };
  const check = (event: Event) => {
    event.preventDefault();
    if (currentVerdict) void next();
    else if (isComplete(question, newest.current)) void answer(newest.current);
  };

  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.matches("select, textarea")) return;
      const isTyping = target.matches("input[type=text]") && !currentVerdict;
      const count = question.options?.length ?? 0;
      if (currentVerdict && event.key.toLowerCase() === "n") void next();
      else if (
        kind === "choice" &&
        !isTyping &&
        !currentVerdict &&
        Number(event.key) >= 1 &&
        Number(event.key) <= count
      )
        updateDraft(Number(event.key));
      else if (
        kind === "choice" &&
        event.key === "Enter" &&
        !currentVerdict &&
        newest.current !== null &&
        !target.matches("button, input")
      )
        void answer(newest.current);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });

  const graph = currentVerdict?.scene ?? scene;
  const graphNames = new Set(scene?.nodes.map((node) => node.name));
  const given = question.given.filter(({ name }) => !graphNames.has(name));
  const selection =
    typeof draft === "string" && kind === "node" ? [draft] : Array.isArray(draft) && !currentVerdict ? draft : [];
  return (
    <div class={graph ? `asking with-picture ${depth(graph) > MAX_DEPTH_BESIDE ? "deep" : ""}` : "asking"}>
      <section class="card ask" aria-label="Question">
        <p class="about small">
          <span class="subject">{question.subject}</span>
          <span class="soft">Level {question.level}</span>
        </p>
        <h3 class="prompt" tabIndex={-1} ref={heading}>
          {question.prompt}
        </h3>
        {(question.formulas.length > 0 || given.length > 0) && (
          <ul class="known">
            {question.formulas.map((formula) => (
              <li key={formula.text}>
                <Text of={formula} />
              </li>
            ))}
            {given.map(({ name, value, text }) => (
              <li key={name} class="given">
                <Given name={name} value={value} text={text} />
              </li>
            ))}
          </ul>
        )}
        <form onSubmit={check}>
          <Answer
            question={question}
            draft={draft}
            verdict={currentVerdict}
            problem={problem.value}
            onDraft={updateDraft}
          />
          {problem.value && (
            <p class="callout small" role="alert">
              {problem.value}
            </p>
          )}
          {!currentVerdict && (
            <div class="row">
              <button type="submit" class="main" disabled={!isComplete(question, draft) || isWaiting.value}>
                Check
              </button>
              <button type="button" disabled={isWaiting.value} onClick={() => void reveal()}>
                Show answer
              </button>
              <button type="button" class="quiet" disabled={isWaiting.value} onClick={() => void next()}>
                Skip
              </button>
            </div>
          )}
        </form>
        <div aria-live="polite">
          {currentVerdict && (
            <VerdictCard
              question={question}
              verdict={currentVerdict}
              before={course.value.standing}
              onNext={() => void next()}
            />
          )}
        </div>
      </section>
      {graph && (
        <section class="card drawing" aria-label="Graph">
          <Picture
            question={question}
            scene={graph}
            verdict={currentVerdict}
            selection={selection}
            onSelect={kind === "node" || kind === "order" ? choose : undefined}
          />
        </section>
      )}
    </div>
  );
}

const MAX_DEPTH_BESIDE = 6; // the deepest graph that fits next to the question

/** The number of layers of a graph, including the inputs. */
function depth(scene: Scene): number {
  const layers: number[] = [];
  for (const node of scene.nodes)
    layers[node.index] = 1 + Math.max(0, ...node.operands.map((x) => ("node" in x ? layers[x.node]! : 0)));
  return Math.max(...layers);
}

/** A given quantity that is not in the graph: a number, a shape, a list, or the rows of an array. */
function Given({ name, value, text }: { name: string; value: unknown; text: string }) {
  const isRows = Array.isArray(value) && Array.isArray(value[0]);
  if (!isRows) return <>{`${name} = ${text}`}</>;
  return (
    <span class="array" role="img" aria-label={`${name} = ${text}`}>
      {name} =
      <span class="rows" style={{ gridTemplateColumns: `repeat(${(value as number[][])[0]!.length}, auto)` }}>
        {(value as number[][]).flat().map((x, i) => (
          <span key={i}>{formatNumber(x)}</span>
        ))}
      </span>
    </span>
  );
}
