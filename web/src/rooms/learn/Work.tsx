// The workplace: the task, the editor, the buttons and the result of a check.
import { Problem } from "../../shared/problem";
import { Code } from "./Code";
import { Editor } from "./Editor";
import { Markdown } from "./markdown";
import type { Exercise } from "./messages";
import { fileText, hintsSeen, isSolved, isStored, textBefore } from "./progress";
import { OutcomeCard } from "./Result";
import {
  check,
  course,
  hideSolution,
  isOurs,
  isRunning,
  isSolutionAsked,
  lesson,
  neighbor,
  nextHint,
  openExercise,
  outcome,
  problem,
  reset,
  restoreText,
  showSolution,
  solution,
  stop,
  takeSolution,
  titles,
} from "./room";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const CHECK_KEY = isMac ? "⌘-Enter" : "Ctrl-Enter";

export function Work({ exercise }: { exercise: Exercise }) {
  const refusal = course.value?.refusal ?? "";
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
    event.preventDefault();
    void check();
  };
  const isContinued = fileText(exercise.file) !== null && isEarlierFile(exercise);
  return (
    <section class="card work" id="work" aria-labelledby="work-title" onKeyDown={onKey}>
      <div class="row spread head">
        <p class="small soft">
          {isSolved(exercise.name) ? <span class="solved">✓ Solved</span> : "Exercise"} · <code>{exercise.file}</code>
        </p>
        <Moves />
      </div>
      <h3 id="work-title" tabIndex={-1}>
        {exercise.title}
      </h3>
      <div class="task">
        <Markdown text={exercise.task} lesson={lesson.value?.number} level={4} />
      </div>
      {isContinued && (
        <div class="added">
          <p class="small soft">
            You continue in your <code>{exercise.file}</code>. Add this to it, or press <em>Reset</em> for the whole
            file with our earlier solutions:
          </p>
          {exercise.added && <Code text={exercise.added} />}
        </div>
      )}
      {refusal && (
        <p class="callout small" role="note">
          {refusal}
        </p>
      )}
      {exercise.missing && (
        <div class="callout small" role="note">
          <Markdown text={exercise.missing} />
        </div>
      )}
      <Editor exercise={exercise} />
      {!isStored.value && (
        <p class="callout small" role="note">
          The storage of this browser is full or disabled. Copy your program before you close the page.
        </p>
      )}
      <div class="row buttons" role="group" aria-label="Actions">
        {isRunning.value ? (
          // The second click of a double click on "Check" does not stop the program.
          <button type="button" class="main" onClick={(event) => event.detail < 2 && stop()}>
            Stop
          </button>
        ) : (
          <button
            type="button"
            class="main"
            title={CHECK_KEY}
            disabled={Boolean(refusal)}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            onClick={() => void check()}
          >
            Check
          </button>
        )}
        <Hint exercise={exercise} />
        <button type="button" onClick={() => void showSolution()}>
          {isSolutionAsked.value && !solution.value && !isSolved(exercise.name) ? "Show it anyway" : "Solution"}
        </button>
        <Reset exercise={exercise} />
        <span class="small soft key">{isRunning.value ? "running …" : CHECK_KEY}</span>
      </div>
      <div class="results" aria-live="polite">
        <Problem text={problem.value} />
        {isSolutionAsked.value && !solution.value && !isSolved(exercise.name) && (
          <p class="small soft" data-testid="ask-again">
            Try a hint first: the exercise teaches more than its solution. Press again to see it.
          </p>
        )}
        {outcome.value && <OutcomeCard outcome={outcome.value} exercise={exercise} />}
        <Hints exercise={exercise} />
        {solution.value && <Solution />}
      </div>
    </section>
  );
}

/** Whether an earlier exercise of the course has the same file. */
function isEarlierFile(exercise: Exercise): boolean {
  return titles.value.find(({ file }) => file === exercise.file)?.name !== exercise.name;
}

function Moves() {
  const [before, after] = [neighbor(-1), neighbor(1)];
  return (
    <div class="row moves" role="group" aria-label="Exercises">
      <button
        type="button"
        class="quiet"
        disabled={!before}
        title={before?.title}
        onClick={() => before && void openExercise(before.name)}
      >
        ← Previous
      </button>
      <button
        type="button"
        class="quiet"
        disabled={!after}
        title={after?.title}
        onClick={() => after && void openExercise(after.name)}
      >
        Next →
      </button>
    </div>
  );
}

function Hint({ exercise }: { exercise: Exercise }) {
  const seen = hintsSeen(exercise.name);
  const isLast = seen >= exercise.hints.length;
  return (
    <button type="button" disabled={isLast} onClick={nextHint}>
      {seen === 0 ? "Hint" : isLast ? "No more hints" : "Next hint"}
    </button>
  );
}

function Hints({ exercise }: { exercise: Exercise }) {
  const seen = hintsSeen(exercise.name);
  if (!seen || isSolved(exercise.name)) return null;
  return (
    <section class="hints" aria-label="Hints">
      <h4>{seen > 1 ? "Hints" : "Hint"}</h4>
      <ol>
        {exercise.hints.slice(0, seen).map((hint) => (
          <li key={hint}>
            <Markdown text={hint} lesson={lesson.value?.number} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Reset({ exercise }: { exercise: Exercise }) {
  const before = textBefore(exercise.file);
  const isStub = isOurs() && fileText(exercise.file) === exercise.stub;
  if (isOurs() && typeof before === "string")
    return (
      <button type="button" onClick={() => restoreText(before)}>
        {isStub ? "Undo reset" : "Bring back my text"}
      </button>
    );
  return (
    <button type="button" onClick={reset} title="Start again; your text is kept">
      Reset
    </button>
  );
}

function Solution() {
  const { text, why } = solution.value!;
  return (
    <section class="solution" aria-label="Solution">
      <div class="row spread">
        <h4>Solution</h4>
        <div class="row">
          <button type="button" onClick={takeSolution}>
            Put into the editor
          </button>
          <button type="button" class="quiet" onClick={hideSolution}>
            Hide
          </button>
        </div>
      </div>
      <Code text={text} />
      {outcome.value?.result.status !== "passed" && <Markdown text={why} lesson={lesson.value?.number} />}
    </section>
  );
}
