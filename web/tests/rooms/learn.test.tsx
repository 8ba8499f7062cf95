// The room Learn: Markdown as elements, links to the rooms, progress in the browser, and checks.
import { cleanup, render } from "@testing-library/preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Markdown } from "../../src/rooms/learn/markdown";
import { fakeConnection, fullStorage, visit } from "./fakeConnection";

const socket = fakeConnection();
vi.mock("../../src/shared/connection", () => socket.module);

const exercise = (name: string, file: string, uses: string[] = []) => ({
  name,
  title: name.toUpperCase(),
  task: "",
  file,
  uses,
  hints: ["first", "second"],
  stub: `stub of ${name}`,
  added: "",
});
const EXERCISES = [
  exercise("slope", "a.py"),
  exercise("value", "engine.py"),
  exercise("rules", "engine.py", ["slope"]),
];
const COURSE = {
  title: "Course",
  introduction: "",
  refusal: "",
  lessons: [
    { name: "nudge", number: 1, title: "Nudge", exercises: EXERCISES.slice(0, 1) },
    { name: "engine", number: 2, title: "Engine", exercises: EXERCISES.slice(1) },
  ],
};
const LESSONS = COURSE.lessons.map((lesson) => ({ ...lesson, blocks: [] }));

async function openRoom(hash: string) {
  visit(hash);
  const { restore, ...room } = await import("../../src/rooms/learn/room");
  const { stateOf } = await import("../../src/shared/fragment");
  void restore(stateOf("learn"));
  await socket.last("course").answer({ course: COURSE });
  return { restore, ...room };
}

const answerLesson = (number: number) => socket.last("lesson").answer({ lesson: LESSONS[number - 1] });
const outcome = (name: string, status: string) => ({
  event: "outcome",
  run: socket.last("check").fields.run,
  exercise: name,
  result: { status, message: "", places: [], notes: [], output: "", graph: null, advice: "", wrong_answer: "" },
  why: "",
  ours: [],
});

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.unstubAllGlobals();
  cleanup();
});

test("raw HTML appears as text, and other addresses than http and lab are no links", () => {
  const { container } = render(<Markdown text={"<img src=x onerror=alert(1)> **b** [x](javascript:alert(1))"} />);
  expect(container.querySelector("img, script, a")).toBeNull();
  expect(container.textContent).toContain("<img src=x onerror=alert(1)>");
  expect(container.querySelector("strong")!.textContent).toBe("b");
});

test("tables, lists, programs and headings are rendered", () => {
  const { container } = render(
    <Markdown text={"# T\n\n- a `x < 1`\n- b\n\n| p | q |\n|---|---|\n| 1 | 2 |\n\n```python\nreturn 1\n```\n"} />,
  );
  expect(container.querySelector("h2")!.textContent).toBe("T");
  expect(container.querySelector("code")!.textContent).toBe("x < 1");
  expect([...container.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual(["1", "2"]);
  expect(container.querySelector("pre .tok-keyword")!.textContent).toBe("return");
});

test.each([
  ["lab:explore?e=tanh(a) + 1&n.a=2", "#explore?e=tanh%28a%29+%2B+1&n.a=2&learn=3"],
  ["lab:explore?e=3*x**2%20-%204*x%20%2B%205&n.x=3", "#explore?e=3*x**2+-+4*x+%2B+5&n.x=3&learn=3"],
  ["lab:quiz?lesson=nudge", "#quiz?lesson=nudge&learn=3"],
  ["lab:train", "#train?learn=3"],
  ["lab:learn?exercise=slope", "#learn?exercise=slope"],
])("the link %s leads to %s", (link, address) => {
  const { container } = render(<Markdown text={`See [this](${link}).`} lesson={3} />);
  expect(container.querySelector("a")!.getAttribute("href")).toBe(address);
  expect(container.textContent).toBe("See this.");
});

test("opens at the first unsolved exercise, and continues in the same file", async () => {
  localStorage.setItem("adjoint.learn.solved:slope", "def slope");
  localStorage.setItem("adjoint.learn.file:engine.py", "mine");
  const room = await openRoom("#learn");
  await answerLesson(2);
  expect(room.exercise.value!.name).toBe("value");
  expect(room.editorText.value.text).toBe("mine");
  await room.openExercise("rules");
  expect(room.editorText.value.text).toBe("mine");
  room.reset();
  expect(room.editorText.value.text).toBe("stub of rules");
  expect(localStorage.getItem("adjoint.learn.before:engine.py")).toBe("mine");
});

test.each(["#learn?lesson=2", "#learn?lesson=engine", "#learn?exercise=value"])("opens %s", async (hash) => {
  const room = await openRoom(hash);
  await answerLesson(2);
  expect(room.exercise.value!.name).toBe("value");
});

test("a check sends the learner's solved files, and success is remembered with its text", async () => {
  localStorage.setItem("adjoint.learn.solved:slope", "def slope");
  const room = await openRoom("#learn?exercise=rules");
  await answerLesson(2);
  room.edit("x = 1");
  void room.check();
  expect(room.isRunning.value).toBe(true);
  expect(socket.last("check").fields).toMatchObject({
    exercise: "rules",
    source: "x = 1",
    modules: { slope: "def slope" },
  });
  room.edit("x = 2");
  socket.push("learn", outcome("rules", "passed"));
  expect(room.isRunning.value).toBe(false);
  expect(localStorage.getItem("adjoint.learn.solved:rules")).toBe("x = 1");
  expect(localStorage.getItem("adjoint.learn.file:engine.py")).toBe("x = 2");
});

test("the outcome of an older check is ignored, and a lost connection ends a check", async () => {
  const room = await openRoom("#learn?exercise=slope");
  await answerLesson(1);
  void room.check();
  const old = outcome("slope", "failed");
  void room.check();
  socket.push("learn", old);
  expect(room.outcome.value).toBeNull();
  expect(room.isRunning.value).toBe(true);
  await socket.last("check").answer({});
  for (const restore of socket.restores) restore();
  expect(room.isRunning.value).toBe(false);
  expect(room.problem.value).toContain("connection was lost");
});

test("hints appear one by one, and the solution at the second request", async () => {
  const room = await openRoom("#learn?exercise=slope");
  await answerLesson(1);
  const { hintsSeen } = await import("../../src/rooms/learn/progress");
  for (const seen of [1, 2, 2]) {
    room.nextHint();
    expect(hintsSeen("slope")).toBe(seen);
  }
  await room.showSolution();
  expect(room.isSolutionAsked.value).toBe(true);
  expect(socket.requests.some(({ command }) => command === "solution")).toBe(false);
  void room.showSolution();
  await socket.last("solution").answer({ solution: "s", why: "w" });
  expect(room.solution.value).toEqual({ text: "s", why: "w" });
});

test("a full storage does not bring back an older text, and the page says so", async () => {
  vi.stubGlobal("localStorage", fullStorage("adjoint.learn.file:a.py", "old"));
  const room = await openRoom("#learn?exercise=slope");
  await answerLesson(1);
  const { fileText, isStored } = await import("../../src/rooms/learn/progress");
  room.edit("new");
  expect(fileText("a.py")).toBe("new");
  expect(isStored.value).toBe(false);
});

test("the editor follows a change of its file in another tab", async () => {
  const room = await openRoom("#learn?exercise=slope");
  await answerLesson(1);
  room.edit("mine");
  const other = (file: string, newValue: string | null) =>
    dispatchEvent(new StorageEvent("storage", { key: `adjoint.learn.file:${file}`, newValue }));
  other("engine.py", "another file");
  other("a.py", null);
  expect(room.editorText.value.text).toBe("stub of slope");
  other("a.py", "of the other tab");
  expect(room.editorText.value).toEqual({ text: "of the other tab", count: 1 });
  void room.check();
  expect(socket.last("check").fields.source).toBe("of the other tab");
});

test("the learner's text can be brought back after the solution and a reset", async () => {
  const room = await openRoom("#learn?exercise=slope");
  await answerLesson(1);
  const { textBefore } = await import("../../src/rooms/learn/progress");
  room.edit("mine");
  room.solution.value = { text: "solution", why: "" };
  room.takeSolution();
  expect(room.isOurs()).toBe(true);
  room.reset();
  expect(room.editorText.value.text).toBe("stub of slope");
  expect(textBefore("a.py")).toBe("mine");
  room.restoreText("mine");
  expect(room.isOurs()).toBe(false);
});

test("a check that waits for the connection is not reported as lost", async () => {
  const room = await openRoom("#learn?exercise=slope");
  await answerLesson(1);
  void room.check();
  for (const restore of socket.restores) restore();
  expect([room.isRunning.value, room.problem.value]).toEqual([true, ""]);
});

test("Back returns to the exercise before, and to the overview", async () => {
  const room = await openRoom("#learn?exercise=slope");
  await answerLesson(1);
  const { onState } = await import("../../src/shared/fragment");
  const stop = onState("learn", (params) => void room.restore(params));
  const before = history.length;
  void room.openExercise("value");
  await answerLesson(2);
  room.openOverview();
  expect(history.length).toBe(before + 2);
  expect(location.hash).toBe("#learn?view=course");
  history.back();
  await vi.waitFor(() => expect(room.showsOverview.value).toBe(false));
  expect(room.exercise.value!.name).toBe("value");
  expect(history.length).toBe(before + 2);
  stop();
});

test("the line of a problem is marked, unless the text changed during the check", async () => {
  const room = await openRoom("#learn?exercise=slope");
  await answerLesson(1);
  const places = [
    { file: "a.py", line: 2, code: "" },
    { file: "engine.py", line: 9, code: "" },
  ];
  for (const [typed, line] of [
    ["x = 1", 2],
    ["# a new line\nx = 1", null],
  ] as const) {
    room.edit("x = 1");
    void room.check();
    room.edit(typed);
    const found = outcome("slope", "error");
    socket.push("learn", { ...found, result: { ...found.result, places } });
    expect(room.problemLine()).toBe(line);
  }
});
