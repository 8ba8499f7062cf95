// The answer form: a number, one of several options, a node, or nodes in order.
import { useLayoutEffect, useRef } from "preact/hooks";
import { Formula } from "../../shared/math";
import type { Question, Statement, Verdict } from "./messages";
import { Sign } from "./signs";

/** An answer before it is submitted: a typed number, the number of an option, a node, or a list of nodes. */
export type Draft = string | number | string[] | null;

export function isComplete(question: Question, draft: Draft): boolean {
  if (question.kind === "number") return typeof draft === "string" && draft.trim() !== "";
  if (question.kind === "order") return Array.isArray(draft) && draft.length === question.nodes?.length;
  return draft !== null;
}

interface Props {
  question: Question;
  draft: Draft;
  verdict: Verdict | null;
  problem: string;
  onDraft: (draft: Draft) => void;
}

export function Answer(props: Props) {
  const { kind } = props.question;
  if (kind === "number") return <NumberAnswer {...props} />;
  if (kind === "order") return <OrderAnswer {...props} />;
  return <ChoiceAnswer {...props} />;
}

export function Text({ of }: { of: Statement }) {
  return of.math ? <Formula of={of.math} label={of.text} /> : of.text;
}

function NumberAnswer({ question, draft, verdict, problem, onDraft }: Props) {
  const field = useRef<HTMLInputElement>(null);
  // A layout effect: the field has the focus as soon as the question is visible, so no key press is lost.
  useLayoutEffect(() => {
    // On touch screens, focusing would open the on-screen keyboard over the question.
    if (matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, [question.id]);
  return (
    <div class="typed">
      <label for="quiz-answer">Your answer</label>
      <input
        ref={field}
        id="quiz-answer"
        type="text"
        class="number"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={40}
        value={typeof draft === "string" ? draft : ""}
        readOnly={verdict !== null}
        aria-describedby="quiz-accuracy"
        aria-invalid={problem !== ""}
        onInput={(event) => onDraft(event.currentTarget.value)}
      />
      <span id="quiz-accuracy" class="small soft">
        {question.accuracy}
      </span>
    </div>
  );
}

function ChoiceAnswer({ question, draft, verdict, onDraft }: Props) {
  const isNode = question.kind === "node";
  const answers = isNode
    ? question.nodes!.map((text) => ({ value: text as string | number, of: { text, math: null } }))
    : question.options!.map((of, i) => ({ value: i + 1, of }));
  return (
    <fieldset class={isNode ? "options nodes" : "options"} disabled={verdict !== null}>
      <legend class="small soft">
        {isNode ? "Choose a node, here or in the graph" : `Choose one (keys 1 to ${answers.length})`}
      </legend>
      {answers.map(({ value, of }, i) => {
        const isCorrect = verdict !== null && (verdict.right ? draft === value : verdict.answer.value === value);
        const isWrong = verdict !== null && !isCorrect && draft === value;
        return (
          <label
            key={value}
            class={`option ${draft === value ? "taken" : ""} ${isCorrect ? "right" : isWrong ? "wrong" : ""}`}
          >
            <input
              type="radio"
              name="quiz-answer"
              value={value}
              checked={draft === value}
              onChange={() => onDraft(value)}
            />
            {!isNode && (
              <span class="digit" aria-hidden="true">
                {i + 1}
              </span>
            )}
            <span class="said">
              <Text of={of} />
            </span>
            {isCorrect && (
              <span class="mark">
                <Sign name="right" /> correct
              </span>
            )}
            {isWrong && (
              <span class="mark">
                <Sign name="wrong" /> your answer
              </span>
            )}
          </label>
        );
      })}
    </fieldset>
  );
}

function OrderAnswer({ question, draft, verdict, onDraft }: Props) {
  const order = Array.isArray(draft) ? draft : [];
  const remaining = question.nodes!.filter((name) => !order.includes(name));
  const container = useRef<HTMLDivElement>(null);
  const isChanged = useRef(false);
  const update = (names: string[]) => {
    isChanged.current = true;
    onDraft(names);
  };
  useLayoutEffect(() => {
    if (!isChanged.current) return;
    isChanged.current = false;
    // The pressed button disappears, so the focus moves to the first remaining node.
    const [first] = [".left button", ".taken button"].flatMap((selector) => [
      ...container.current!.querySelectorAll<HTMLElement>(selector),
    ]);
    first?.focus();
  });
  return (
    <div class="ordered" ref={container}>
      <p class="small soft" id="quiz-order">
        Your order: select the nodes one after another, here or in the graph. Select a node again to remove it.
      </p>
      <ol class="taken" aria-labelledby="quiz-order">
        {order.map((name, i) => (
          <li key={name}>
            <button
              type="button"
              disabled={verdict !== null}
              aria-label={`${name}, position ${i + 1}; remove`}
              onClick={() => update(order.filter((other) => other !== name))}
            >
              {name}
            </button>
          </li>
        ))}
        {remaining.map((name) => (
          <li key={`empty ${name}`} class="empty" aria-hidden="true" />
        ))}
      </ol>
      {!verdict && (
        <div class="left row" role="group" aria-label="Remaining nodes">
          {remaining.map((name) => (
            <button key={name} type="button" onClick={() => update([...order, name])}>
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
