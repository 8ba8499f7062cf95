// The text of a lesson.
import { signal } from "@preact/signals";
import { Code } from "./Code";
import { LiveGraph } from "./LiveGraph";
import { Markdown } from "./markdown";
import type { Block, Lesson } from "./messages";
import { Picture } from "./Picture";
import { isSolved } from "./progress";
import { choose, course, exercise, openLesson } from "./room";
import { Work } from "./Work";

const narrow = matchMedia("(max-width: 980px)");
/** Whether there is one column; the workplace then follows the place of its exercise in the text. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", () => {
  isNarrow.value = narrow.matches;
});

export function Text({ lesson }: { lesson: Lesson }) {
  const next = course.value?.lessons[lesson.number];
  return (
    <article class="text" aria-label={`Lesson ${lesson.number}: ${lesson.title}`}>
      <p class="small soft over" id="learn-start" tabIndex={-1}>
        Lesson {lesson.number}
      </p>
      {lesson.blocks.map((block, i) => (
        <Part key={`${lesson.name} ${i}`} block={block} lesson={lesson} />
      ))}
      {next && (
        <p class="end" key={lesson.name}>
          <button type="button" onClick={() => void openLesson(next)}>
            Next lesson: {next.title} →
          </button>
        </p>
      )}
    </article>
  );
}

function Part({ block, lesson }: { block: Block; lesson: Lesson }) {
  switch (block.kind) {
    case "markdown":
      return <Markdown text={block.text} lesson={lesson.number} />;
    case "program":
      return <Code text={block.text} />;
    case "graph":
      return <LiveGraph graph={block.graph!} caption={block.text} lesson={lesson.number} />;
    case "figure":
      return (
        <figure>
          <Picture svg={block.svg} label={block.text} />
          <figcaption>
            <span>{block.text}</span>
          </figcaption>
        </figure>
      );
    case "exercise":
      return isNarrow.value && exercise.value?.name === block.text ? (
        <div class="inline-work" id={`exercise-${block.text}`}>
          <Work exercise={exercise.value} />
        </div>
      ) : (
        <Place name={block.text} lesson={lesson} />
      );
  }
}

/** The place of an exercise in the text. */
function Place({ name, lesson }: { name: string; lesson: Lesson }) {
  const found = lesson.exercises.find((other) => other.name === name);
  if (!found) return null;
  const isCurrent = exercise.value?.name === name;
  const show = () => {
    choose(name);
    requestAnimationFrame(() => {
      document.getElementById("work")?.scrollIntoView({ block: "nearest" });
      document.getElementById("work-title")?.focus({ preventScroll: true });
    });
  };
  return (
    <aside
      class={`card place ${isCurrent ? "current" : ""}`}
      id={`exercise-${name}`}
      aria-label={`Exercise: ${found.title}`}
    >
      <p class="small soft">
        Exercise {lesson.exercises.indexOf(found) + 1} of {lesson.exercises.length}
        {isSolved(name) && <span class="solved"> ✓ solved</span>}
      </p>
      <div class="row spread">
        <h3>{found.title}</h3>
        <button type="button" aria-pressed={isCurrent} onClick={show}>
          {isCurrent ? "In the editor" : "Work on this"}
        </button>
      </div>
    </aside>
  );
}
