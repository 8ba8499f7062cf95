// The overview of the course: all lessons, and which exercises are solved.
import { Markdown } from "./markdown";
import type { Course, Heading } from "./messages";
import { isSolved } from "./progress";
import { openLesson, restore, titles } from "./room";

export function Overview({ course }: { course: Course }) {
  const solved = titles.value.filter(({ name }) => isSolved(name)).length;
  return (
    <div class="overview">
      <div class="intro">
        <h2 id="learn-start" tabIndex={-1}>
          {course.title}
        </h2>
        <Markdown text={course.introduction} level={3} />
        <p class="row">
          <button type="button" class="main" onClick={() => void restore(new URLSearchParams())}>
            {solved ? "Continue" : "Start"}
          </button>
          <Bar solved={solved} all={titles.value.length} />
        </p>
      </div>
      <ol class="lessons">
        {course.lessons.map((heading) => (
          <Entry key={heading.name} heading={heading} />
        ))}
      </ol>
    </div>
  );
}

export function Bar({ solved, all }: { solved: number; all: number }) {
  return (
    <span class="bar-of row small soft">
      <progress value={solved} max={Math.max(1, all)} aria-label="Solved exercises" />
      {solved} of {all} solved
    </span>
  );
}

function Entry({ heading }: { heading: Heading }) {
  const { number, title, exercises } = heading;
  const solved = exercises.filter(({ name }) => isSolved(name)).length;
  return (
    <li class="card entry">
      <div class="row spread">
        <button type="button" class="quiet lesson-link" onClick={() => void openLesson(heading)}>
          <span class="soft number">{number}</span> {title}
        </button>
        {exercises.length > 0 && (
          <span class={solved === exercises.length ? "small solved" : "small soft"}>
            {solved} of {exercises.length}
          </span>
        )}
      </div>
      <ul>
        {exercises.map(({ name, title }) => (
          <li key={name}>
            <span class={isSolved(name) ? "tick solved" : "tick soft"} aria-hidden="true">
              {isSolved(name) ? "✓" : "○"}
            </span>
            <a href={`#learn?exercise=${name}`}>{title}</a>
            {isSolved(name) && <span class="unseen"> (solved)</span>}
          </li>
        ))}
      </ul>
    </li>
  );
}
