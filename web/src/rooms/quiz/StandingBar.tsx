// Where somebody stands: the level, what is right of what was asked, and how many in a row.
import { atLevel, begin, course, LEVELS, now } from "./course";

export function StandingBar() {
  const { right, asked, streak, level } = now();
  return (
    <div class="standing" role="group" aria-label="Where you stand">
      <label class="level">
        <span>Level</span>
        <select value={String(level)} onChange={(event) => void atLevel(Number(event.currentTarget.value))}>
          {LEVELS.map((each) => (
            <option key={each} value={String(each)}>
              {each}
            </option>
          ))}
        </select>
        <span class="steps-up" aria-hidden="true">
          {LEVELS.map((each) => (
            <span key={each} class={each <= level ? "on" : ""} />
          ))}
        </span>
      </label>
      <span class="number-of">
        <strong>
          {right} of {asked}
        </strong>{" "}
        right
      </span>
      <span class="number-of">
        <strong>{streak}</strong> in a row
      </span>
      <span class="course soft small">
        Course {course.value.seed}, question {course.value.number + 1}
        <button type="button" class="quiet" onClick={() => void begin()}>
          New course
        </button>
      </span>
    </div>
  );
}
