// The room Learn: the text of a lesson on the left, the editor and the result of a check on the right.
import "./learn.css";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { connection } from "../../shared/connection";
import { onState, stateOf } from "../../shared/fragment";
import { Problem } from "../../shared/problem";
import { Bar, Overview } from "./Overview";
import { isSolved } from "./progress";
import {
  course,
  exercise,
  leave,
  lesson,
  openLesson,
  openOverview,
  problem,
  restore,
  showsOverview,
  target,
} from "./room";
import { isNarrow, Text } from "./Text";
import { Work } from "./Work";

export function LearnRoom() {
  useEffect(() => {
    void restore(stateOf("learn"));
    return onState("learn", (params) => void restore(params));
  }, []);
  useLayoutEffect(() => () => leave(scrollY), []);
  useLayoutEffect(scroll, [target.value]);
  // The first request fails if there is no connection yet.
  useEffect(() => {
    if (connection.value === "open" && !course.value) void restore(stateOf("learn"));
  }, [connection.value]);
  const found = lesson.value;
  if (course.value && showsOverview.value)
    return (
      <div class="learn">
        <Overview course={course.value} />
      </div>
    );
  if (!found || !course.value)
    return (
      <div class="learn">
        {problem.value ? (
          <Problem text={problem.value} />
        ) : (
          <p class="soft" aria-busy="true">
            …
          </p>
        )}
      </div>
    );
  return (
    <div class="learn">
      <Head />
      <div class={exercise.value ? "desk" : "desk alone"}>
        <Text lesson={found} />
        {exercise.value && !isNarrow.value && <Work exercise={exercise.value} />}
      </div>
    </div>
  );
}

function Head() {
  const { lessons } = course.value!;
  const now = lesson.value!;
  const exercises = lessons[now.number - 1]?.exercises ?? [];
  return (
    <div class="row learn-head">
      <button type="button" onClick={() => openOverview()}>
        All lessons
      </button>
      <label class="row">
        <span class="unseen">Lesson</span>
        <select
          value={now.name}
          onChange={(event) => {
            const heading = lessons.find(({ name }) => name === event.currentTarget.value);
            if (heading) void openLesson(heading);
          }}
        >
          {lessons.map(({ name, number, title, exercises }) => (
            <option key={name} value={name}>
              {number}. {title}
              {exercises.length > 0 && exercises.every(({ name }) => isSolved(name)) ? " ✓" : ""}
            </option>
          ))}
        </select>
      </label>
      {exercises.length > 0 && (
        <Bar solved={exercises.filter(({ name }) => isSolved(name)).length} all={exercises.length} />
      )}
    </div>
  );
}

let isFirst = true;

/** Scroll to the place where the learner continues to read. The focus moves there if its element is gone. */
function scroll(): void {
  const to = target.value;
  if (to === null) return;
  target.value = null;
  if ("y" in to) scrollTo({ top: to.y });
  else document.getElementById(`exercise-${to.exercise}`)?.scrollIntoView({ block: "start" });
  const reached = document.getElementById("exercise" in to ? "work-title" : "learn-start");
  if (!isFirst && document.activeElement === document.body) reached?.focus({ preventScroll: true });
  isFirst = false;
}
