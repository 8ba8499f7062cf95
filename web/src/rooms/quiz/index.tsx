// The room Quiz: a question about a live graph, an answer, and the reasons.
import "./quiz.css";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Scene } from "../../explore/model";
import { formatNumber } from "../../shared/numbers";
import { onState, stateOf } from "../../shared/fragment";
import { Answer, type Draft, isComplete, Text } from "./Answer";
import {
  answer,
  course,
  isWaiting,
  next,
  problem,
  type Question,
  question,
  restore,
  retry,
  reveal,
  verdict,
} from "./course";
import { Picture } from "./Picture";
import { StandingBar } from "./StandingBar";
import { VerdictCard } from "./Verdict";

let hasStarted = false;

export function QuizRoom() {
  useEffect(() => {
    if (!hasStarted) restore(stateOf("quiz"));
    hasStarted = true;
    return onState("quiz", restore);
  }, []);
  const asked = question.value;
  return (
    <div class="quiz">
      <div class="room-title">
        <h2>Quiz</h2>
        <p>Every question is about numbers that the engine has just computed, and so is its answer.</p>
      </div>
      <StandingBar />
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
  const newest = useRef<Draft>(null); // keys may come faster than the page is drawn
  const heading = useRef<HTMLHeadingElement>(null);
  const said = verdict.value?.question === question.id ? verdict.value : null;
  const { kind, scene } = question;

  useEffect(() => {
    // After "Next" the focus would be nowhere: the question has it, or the field where a number is typed.
    if (document.activeElement === document.body || document.activeElement === null)
      heading.current?.focus({ preventScroll: true });
  }, []);

  const put = (given: Draft) => {
    if (said) return;
    problem.value = "";
    newest.current = given;
    setDraft(given);
  };
  const choose = (name: string) => {
    if (!question.nodes?.includes(name)) return;
    const taken = Array.isArray(newest.current) ? newest.current : [];
    put(kind === "node" ? name : taken.includes(name) ? taken.filter((other) => other !== name) : [...taken, name]);
  };
  const check = (event: Event) => {
    event.preventDefault();
    if (said) void next();
    else if (isComplete(question, newest.current)) void answer(newest.current);
  };

  useLayoutEffect(() => {
    const heard = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.matches("select, textarea")) return;
      const isTyping = target.matches("input[type=text]") && !said;
      const count = question.options?.length ?? 0;
      if (said && event.key.toLowerCase() === "n") void next();
      else if (kind === "choice" && !isTyping && !said && Number(event.key) >= 1 && Number(event.key) <= count)
        put(Number(event.key));
      else if (
        kind === "choice" &&
        event.key === "Enter" &&
        !said &&
        newest.current !== null &&
        !target.matches("button, input")
      )
        void answer(newest.current);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", heard);
    return () => document.removeEventListener("keydown", heard);
  });

  const shown = said?.scene ?? scene;
  const drawn = new Set(scene?.nodes.map((node) => node.name));
  const given = question.given.filter(({ name }) => !drawn.has(name));
  const marked = typeof draft === "string" && kind === "node" ? [draft] : Array.isArray(draft) && !said ? draft : [];
  return (
    <div class={shown ? `asking with-picture ${depth(shown) > MOST_BESIDE ? "deep" : ""}` : "asking"}>
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
          <Answer question={question} draft={draft} verdict={said} problem={problem.value} onDraft={put} />
          {problem.value && (
            <p class="callout small" role="alert">
              {problem.value}
            </p>
          )}
          {!said && (
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
          {said && (
            <VerdictCard question={question} verdict={said} before={course.value.standing} onNext={() => void next()} />
          )}
        </div>
      </section>
      {shown && (
        <section class="card drawing" aria-label="Graph">
          <Picture
            question={question}
            scene={shown}
            verdict={said}
            chosen={marked}
            onChoose={kind === "node" || kind === "order" ? choose : undefined}
          />
        </section>
      )}
    </div>
  );
}

const MOST_BESIDE = 6; // layers of a graph that has room beside the question

/** How many operations follow one another in a graph, and the values that they begin with. */
function depth(scene: Scene): number {
  const layers: number[] = [];
  for (const node of scene.nodes)
    layers[node.index] = 1 + Math.max(0, ...node.operands.map((x) => ("node" in x ? layers[x.node]! : 0)));
  return Math.max(...layers);
}

/** What is given beside the graph: a number, a shape, a list, or the rows of an array. */
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
