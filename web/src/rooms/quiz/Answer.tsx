// What is answered: a number that is typed, one of some options, a node, or nodes in their order.
import { useEffect, useRef } from "preact/hooks";
import { Formula } from "../../shared/math";
import type { Question, Verdict, Statement } from "./course";
import { Sign } from "./signs";

/** An answer that is not given yet: what is typed, the number of an option, a node, or some nodes. */
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
  return of.math ? <Formula of={of.math} label={of.text} /> : <>{of.text}</>;
}

function NumberAnswer({ question, draft, verdict, problem, onDraft }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Where there is no keyboard, one that slides over the question would be a nuisance.
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
        {isNode ? "Choose a node, here or in the graph" : `Choose one: keys 1 to ${answers.length}`}
      </legend>
      {answers.map(({ value, of }, i) => {
        const isRight = verdict !== null && (verdict.right ? draft === value : verdict.answer.value === value);
        const isWrong = verdict !== null && !isRight && draft === value;
        return (
          <label
            key={value}
            class={`option ${draft === value ? "taken" : ""} ${isRight ? "right" : isWrong ? "wrong" : ""}`}
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
            {isRight && (
              <span class="mark">
                <Sign name="right" /> right
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
  const taken = Array.isArray(draft) ? draft : [];
  const left = question.nodes!.filter((name) => !taken.includes(name));
  const home = useRef<HTMLDivElement>(null);
  const take = (names: string[]) => {
    onDraft(names);
    // The button that was pressed is gone: the focus goes to the first node that is left.
    setTimeout(() =>
      (
        home.current?.querySelector<HTMLElement>(".left button") ??
        home.current?.querySelector<HTMLElement>(".taken button")
      )?.focus(),
    );
  };
  return (
    <div class="ordered" ref={home}>
      <p class="small soft" id="quiz-order">
        Your order: press nodes one after another, here or in the graph; press one again to take it back.
      </p>
      <ol class="taken" aria-labelledby="quiz-order">
        {taken.map((name, i) => (
          <li key={name}>
            <button
              type="button"
              disabled={verdict !== null}
              aria-label={`${name}, place ${i + 1}; take it back`}
              onClick={() => take(taken.filter((other) => other !== name))}
            >
              {name}
            </button>
          </li>
        ))}
        {left.map((name) => (
          <li key={`empty ${name}`} class="empty" aria-hidden="true" />
        ))}
      </ol>
      {!verdict && (
        <div class="left row" role="group" aria-label="Nodes that are left">
          {left.map((name) => (
            <button key={name} type="button" onClick={() => take([...taken, name])}>
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
