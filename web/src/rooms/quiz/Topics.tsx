// The choice of questions: some topics, or the questions of a lesson of the course.
import { catalog, course, setLesson, setTopics } from "./course";

function describeChoice(): string {
  const { topics, lesson } = course.value;
  const all = catalog.value;
  const chosen = lesson
    ? all.lessons.filter(({ name }) => name === lesson).map(({ title }) => `lesson “${title}”`)
    : [...all.topics, ...all.lessons].filter(({ name }) => topics.includes(name)).map(({ title }) => title);
  return [...new Set(chosen)].join(", ") || "all topics";
}

export function TopicChoice() {
  const { topics, lesson } = course.value;
  const isChosen = lesson !== "" || topics.length > 0;
  const toggle = (name: string) =>
    void setTopics(topics.includes(name) ? topics.filter((other) => other !== name) : [...topics, name]);
  return (
    <details class="topics">
      <summary>
        Questions from <strong>{describeChoice()}</strong>
      </summary>
      <div class="card choices">
        <fieldset>
          <legend class="small soft">Topics</legend>
          {catalog.value.topics.map(({ name, title }) => (
            <label key={name}>
              <input type="checkbox" checked={topics.includes(name)} onChange={() => toggle(name)} />
              {title}
            </label>
          ))}
        </fieldset>
        <div class="row">
          <label class="row">
            <span class="small soft">or a lesson</span>
            <select value={lesson} onChange={(event) => void setLesson(event.currentTarget.value)}>
              <option value="">none</option>
              {catalog.value.lessons.map(({ name, title }, i) => (
                <option key={name} value={name}>
                  {`${i + 1}. ${title}`}
                </option>
              ))}
            </select>
          </label>
          <button type="button" disabled={!isChosen} onClick={() => void setTopics([])}>
            All topics
          </button>
        </div>
      </div>
    </details>
  );
}
