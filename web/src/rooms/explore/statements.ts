// Numbers in the text of an expression: a statement such as `a = 2` gives the input a its number, and moving the slider
// of a changes the text.

interface Statement {
  name: string;
  /** Where the right side starts and ends in the text, without the spaces around it. */
  start: number;
  end: number;
}

const LITERAL = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;

/** The statements `name = …` of a text. They end at `;` or a line end outside of parentheses, or at a comment. */
function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let [from, depth] = [0, 0];
  const close = (end: number) => {
    const match = /^(\s*([A-Za-z_]\w*)\s*=(?!=)\s*)(.*?)\s*$/s.exec(text.slice(from, end));
    if (match) {
      const start = from + match[1]!.length;
      statements.push({ name: match[2]!, start, end: start + match[3]!.length });
    }
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    else if (character === "#") {
      const end = text.indexOf("\n", i);
      if (depth <= 0) close(i);
      i = (end < 0 ? text.length : end) - 1;
      if (depth <= 0) from = i + 1;
    } else if ((character === ";" || character === "\n") && depth <= 0) {
      close(i);
      from = i + 1;
    }
  }
  close(text.length);
  return statements;
}

/** The names that a text assigns. */
export function assignedNames(text: string): Set<string> {
  return new Set(statementsOf(text).map(({ name }) => name));
}

/** The text with other numbers for the inputs that have their number in it. */
export function withInputs(text: string, numbers: Record<string, number>, inputs: string[]): string {
  for (const { name, start, end } of statementsOf(text).reverse()) {
    if (!inputs.includes(name) || !Object.hasOwn(numbers, name)) continue;
    const written = text.slice(start, end);
    if (LITERAL.test(written) && Number(written) === numbers[name]) continue;
    text = text.slice(0, start) + numbers[name] + text.slice(end);
  }
  return text;
}

/** The numbers that a text gives its inputs, by name. */
export function numbersIn(text: string): Record<string, number> {
  const written = statementsOf(text).map(({ name, start, end }) => [name, text.slice(start, end)] as const);
  return Object.fromEntries(written.filter(([, x]) => LITERAL.test(x)).map(([name, x]) => [name, Number(x)]));
}

/** Whether two texts differ at most in the numbers of their inputs, so that they have the same graph. */
export function haveSameGraph(one: string, other: string): boolean {
  return one === other || withoutNumbers(one) === withoutNumbers(other);
}

function withoutNumbers(text: string): string {
  for (const { start, end } of statementsOf(text).reverse()) {
    if (LITERAL.test(text.slice(start, end))) text = `${text.slice(0, start)}0${text.slice(end)}`;
  }
  return text;
}
