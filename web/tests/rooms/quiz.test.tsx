import { fireEvent, render, screen } from "@testing-library/preact";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { Answer, isComplete } from "../../src/rooms/quiz/Answer";
import type { Question, Standing, Verdict } from "../../src/rooms/quiz/messages";
import { VerdictCard } from "../../src/rooms/quiz/Verdict";
import { fakeConnection, visit } from "./fakeConnection";

function question(fields: Partial<Question>): Question {
  const empty = {
    id: "q",
    subject: "Chain rule",
    level: 1,
    prompt: "?",
    formulas: [],
    given: [],
    scene: null,
    about: null,
  };
  return { ...empty, kind: "number", ...fields };
}

const standing: Standing = { right: 3, asked: 5, streak: 2, misses: 0, level: 2 };

function verdict(fields: Partial<Verdict> = {}): Verdict {
  return {
    question: "q",
    right: false,
    given: "3",
    confusion: "",
    answer: { value: 4, text: "4", math: null },
    because: "Both contributions add up.",
    steps: [],
    scene: null,
    standing,
    ...fields,
  };
}

describe("an answer is complete", () => {
  test("when a number is typed", () => {
    expect(isComplete(question({}), "  ")).toBe(false);
    expect(isComplete(question({}), "0.5")).toBe(true);
  });
  test("when all nodes are in order", () => {
    const order = question({ kind: "order", nodes: ["a", "b"] });
    expect(isComplete(order, ["a"])).toBe(false);
    expect(isComplete(order, ["b", "a"])).toBe(true);
  });
  test("when an option is chosen", () => {
    expect(isComplete(question({ kind: "choice" }), null)).toBe(false);
    expect(isComplete(question({ kind: "choice" }), 1)).toBe(true);
  });
});

test("options are numbered from 1, as the server counts them", () => {
  const onDraft = vi.fn();
  const options = [
    { text: "grows", math: null },
    { text: "shrinks", math: null },
  ];
  render(
    <Answer
      question={question({ kind: "choice", options })}
      draft={null}
      verdict={null}
      problem=""
      onDraft={onDraft}
    />,
  );
  fireEvent.click(screen.getByLabelText(/shrinks/));
  expect(onDraft).toHaveBeenCalledWith(2);
});

test("after the verdict the wrong choice and the correct one are marked", () => {
  const options = [
    { text: "grows", math: null },
    { text: "shrinks", math: null },
  ];
  const given = verdict({ answer: { value: 2, text: "shrinks", math: null } });
  const { container } = render(
    <Answer question={question({ kind: "choice", options })} draft={1} verdict={given} problem="" onDraft={vi.fn()} />,
  );
  expect([...container.querySelectorAll(".mark")].map((mark) => mark.textContent?.trim())).toEqual([
    "your answer",
    "correct",
  ]);
});

test("nodes in order can be removed again", () => {
  const onDraft = vi.fn();
  const order = question({ kind: "order", nodes: ["a", "b", "c"] });
  render(<Answer question={order} draft={["b", "a"]} verdict={null} problem="" onDraft={onDraft} />);
  fireEvent.click(screen.getByText("c"));
  fireEvent.click(screen.getByLabelText("b, position 1; remove"));
  expect(onDraft.mock.calls).toEqual([[["b", "a", "c"]], [["a"]]]);
});

test("a verdict says what is correct, and announces a new level", () => {
  const next = vi.fn();
  const given = verdict({ standing: { ...standing, level: 1 } });
  const { container } = render(<VerdictCard question={question({})} verdict={given} before={standing} onNext={next} />);
  expect(screen.getByRole("heading").textContent).toBe("Not quite");
  expect(container.textContent).toContain("The correct answer is 4.");
  expect(container.textContent).toContain("move down to level 1");
  fireEvent.click(screen.getByText("Next question"));
  expect(next).toHaveBeenCalledTimes(1);
});

describe("the course", () => {
  let socket: ReturnType<typeof fakeConnection>;

  async function restore(text: string) {
    visit(`#quiz?${text}`);
    vi.doMock("../../src/shared/connection", () => socket.module);
    const course = await import("../../src/rooms/quiz/course");
    course.restore(new URLSearchParams(text));
    return course;
  }
  beforeEach(() => {
    socket = fakeConnection();
  });

  test("continues at the question and the score of the address", async () => {
    const course = await restore("seed=7&number=4&right=3&asked=4&streak=1&misses=0&level=2");
    expect(socket.last("next").fields).toEqual({ seed: 7, number: 4, level: 2, topics: [] });
    await socket.last("next").answer({ question: question({}) });
    expect(course.standing()).toEqual({ right: 3, asked: 4, streak: 1, misses: 0, level: 2 });
  });

  test.each([
    ["topic=chain,arrays,chain", ["chain", "arrays"]],
    ["topic=,", []],
    ["lesson=xor", ["xor"]],
    ["lesson=xor&topic=chain", ["xor"]],
  ])("asks from the topics of the address %s", async (address, topics) => {
    await restore(address);
    expect(socket.last("next").fields).toMatchObject({ topics });
  });

  test("keeps its topics without a connection, and drops unknown ones with the message", async () => {
    const course = await restore("topic=chian&seed=7");
    await socket.last("next").fail(new socket.module.Disconnected("no lab"));
    void course.retry();
    expect(socket.last("next").fields).toMatchObject({ topics: ["chian"] });
    await socket.last("next").fail(new Error("unknown topic"));
    expect(socket.last("next").fields).toMatchObject({ seed: 7, topics: [] });
    await socket.last("next").answer({ question: question({}) });
    expect([course.problem.value, course.isWaiting.value]).toEqual(["unknown topic", false]);
  });

  test("invalid parameters get their defaults", async () => {
    await restore("seed=-1&number=1e3&level=9");
    const { seed, number, level } = socket.last("next").fields as { seed: number; number: number; level: number };
    expect(seed).toBeGreaterThanOrEqual(1);
    expect([number, level]).toEqual([0, 1]);
  });

  test("an answer is sent once, with the standing before it", async () => {
    const course = await restore("seed=7");
    await socket.last("next").answer({ question: question({ id: "q9" }) });
    void course.answer("4");
    void course.answer("4");
    const answers = socket.requests.filter(({ command }) => command === "answer");
    expect(answers).toHaveLength(1);
    expect(answers[0]!.fields).toMatchObject({ question: "q9", answer: "4", standing: { right: 0, asked: 0 } });
    await answers[0]!.answer(verdict() as never);
    expect(course.standing()).toEqual(standing);
  });

  test("the next question continues from the verdict, and a new level resets the streak", async () => {
    const course = await restore("seed=7");
    await socket.last("next").answer({ question: question({}) });
    void course.answer("4");
    await socket.last("answer").answer(verdict() as never);
    void course.next();
    expect(socket.last("next").fields).toEqual({ seed: 7, number: 1, level: 2, topics: [] });
    await socket.last("next").answer({ question: question({ id: "q2" }) });
    void course.setLevel(5);
    await socket.last("next").answer({ question: question({ id: "q3" }) });
    expect(course.standing()).toMatchObject({ level: 5, streak: 0, right: 3 });
  });

  test("a late answer to an older request is ignored", async () => {
    const course = await restore("seed=7");
    const older = socket.last("next");
    course.restore(new URLSearchParams("seed=8"));
    await socket.last("next").answer({ question: question({ id: "new" }) });
    await older.answer({ question: question({ id: "old" }) });
    expect(course.question.value?.id).toBe("new");
  });

  test("a failed request is shown and can be repeated", async () => {
    const course = await restore("seed=7&number=2");
    await socket.last("next").fail(new Error("the lab is busy"));
    expect(course.problem.value).toBe("the lab is busy");
    void course.retry();
    expect(socket.last("next").fields).toMatchObject({ seed: 7, number: 2 });
  });
});
