// The progress of the user: the level, the number of correct answers, and the current streak.
import { course, LEVELS, setLevel, standing, startCourse } from "./course";

export function StandingBar() {
  const { right, asked, streak, level } = standing();
  return (
    <div class="standing" role="group" aria-label="Your progress">
      <label class="level">
        <span>Level</span>
        <select value={String(level)} onChange={(event) => void setLevel(Number(event.currentTarget.value))}>
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
        correct
      </span>
      <span class="number-of">
        <strong>{streak}</strong> in a row
      </span>
      <span class="course soft small">
        Course {course.value.seed}, question {course.value.number + 1}
        <button type="button" class="quiet" onClick={() => void startCourse()}>
          New course
        </button>
      </span>
    </div>
  );
}
