// The result of a check: what was right and why, or what is wrong and what to do about it.
import { useEffect, useRef } from "preact/hooks";
import { Markdown } from "./markdown";
import type { Exercise, Outcome, Result } from "./messages";
import { Picture } from "./Picture";
import { lesson, lessonOf, neighbor, openExercise, openOverview } from "./room";

const HEADINGS: Record<Result["status"], string> = {
  passed: "Solved",
  failed: "Not yet",
  error: "An exception",
  stopped: "Stopped",
};

export function OutcomeCard({ outcome, exercise }: { outcome: Outcome; exercise: Exercise }) {
  const { result, why, ours } = outcome;
  const isPassed = result.status === "passed";
  const number = lesson.value?.number;
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.scrollIntoView({ block: "nearest" }), [outcome]);
  return (
    <section ref={card} class={`outcome ${isPassed ? "passed" : "callout"}`} data-testid="outcome" aria-label="Result">
      <h4>
        {isPassed && <span aria-hidden="true">✓ </span>}
        {HEADINGS[result.status]}
      </h4>
      {result.message && <Markdown text={result.message} lesson={number} />}
      {result.advice && <Markdown text={result.advice} lesson={number} />}
      {!isPassed && <Places result={result} exercise={exercise} />}
      {result.notes.length > 0 && (
        <ul class="notes">
          {result.notes.map((note) => (
            <li key={note}>
              <Markdown text={note} lesson={number} />
            </li>
          ))}
        </ul>
      )}
      {result.graph && (
        <figure class="own">
          <Picture svg={result.graph.svg} label="The graph of your Values" />
          <figcaption>
            {isPassed ? "The graph of your Values." : "The graph of your Values; the wrong number is marked."}
          </figcaption>
        </figure>
      )}
      {result.output && (
        <details class="output" open={!isPassed || result.output.length < 600}>
          <summary>Output of your program</summary>
          <pre tabIndex={0}>{result.output}</pre>
        </details>
      )}
      {ours.length > 0 && (
        <p class="small soft">
          This check used our {list(ours)}, because you have not solved{" "}
          {ours.length > 1 ? "those exercises" : "that exercise"} yet.
        </p>
      )}
      {isPassed && (
        <>
          <h4>Why</h4>
          <Markdown text={why} lesson={number} />
          <Continue exercise={exercise.name} />
        </>
      )}
    </section>
  );
}

function list(files: string[]) {
  return files.map((file, i) => (
    <>
      {i > 0 && ", "}
      <code key={file}>{file}</code>
    </>
  ));
}

function Places({ result, exercise }: { result: Result; exercise: Exercise }) {
  if (result.places.length === 0) return null;
  return (
    <ul class="places">
      {result.places.map(({ file, line, code }, i) => (
        <li key={i}>
          <span class="small soft">{file === exercise.file ? `line ${line}` : `${file}, line ${line}`}</span>{" "}
          <code>{code}</code>
        </li>
      ))}
    </ul>
  );
}

function Continue({ exercise }: { exercise: string }) {
  const next = neighbor(1);
  if (!next)
    return (
      <p class="row">
        <strong>This was the last exercise of the course.</strong>
        <button type="button" class="main" onClick={() => openOverview()}>
          See all lessons
        </button>
      </p>
    );
  const heading = lessonOf(next.name);
  const isHere = heading?.name === lesson.value?.name;
  return (
    <p class="row">
      <button type="button" class="main" onClick={() => void openExercise(next.name, exercise)}>
        {isHere ? "Continue: " : `Lesson ${heading?.number}: `}
        {isHere ? next.title : heading?.title} →
      </button>
    </p>
  );
}
