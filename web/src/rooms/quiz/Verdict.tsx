// The verdict on an answer: whether it is correct, the likely confusion, the correct answer, and the reason.
import { useLayoutEffect, useRef } from "preact/hooks";
import { Formula } from "../../shared/math";
import type { Question, Standing, Verdict } from "./messages";
import { Sign } from "./signs";

export function VerdictCard({
  question,
  verdict,
  before,
  onNext,
}: {
  question: Question;
  verdict: Verdict;
  before: Standing;
  onNext: () => void;
}) {
  const next = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => next.current?.focus({ preventScroll: true }), [verdict]);
  const kind = verdict.right ? "right" : verdict.given === null ? "shown" : "wrong";
  const { text, math } = verdict.answer;
  const level = verdict.standing.level;
  return (
    <section class={`verdict ${kind}`} aria-label="Verdict">
      <h3>
        <Sign name={kind} />
        {kind === "right" ? "Correct" : kind === "shown" ? "The answer" : "Not quite"}
      </h3>
      {verdict.confusion && (
        <p>
          {question.kind !== "choice" && <span class="soft">You answered {verdict.given}. </span>}
          {verdict.confusion}
        </p>
      )}
      {!verdict.right && (
        <p>
          {question.kind === "order" ? "One correct order: " : "The correct answer is "}
          <strong>{math ? <Formula of={math} label={text} /> : question.kind === "choice" ? `“${text}”` : text}</strong>
          .
        </p>
      )}
      <p>{verdict.because}</p>
      {verdict.steps.length > 0 && (
        <ol class="steps" aria-label="Relevant steps">
          {verdict.steps.map((step, i) => (
            <li key={i}>{step}</li>
          ))}
        </ol>
      )}
      {level !== before.level && (
        <p class="moved">
          {level > before.level
            ? `Three in a row: you move up to level ${level}.`
            : `Two misses: you move down to level ${level}.`}
        </p>
      )}
      <div class="row">
        <button ref={next} type="button" class="main" onClick={onNext}>
          Next question
        </button>
        <span class="small soft">Enter or N</span>
      </div>
    </section>
  );
}
