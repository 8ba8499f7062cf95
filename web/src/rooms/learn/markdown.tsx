// Markdown as elements. The page builds each element itself, so raw HTML in a text appears as text.
import { lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { Code } from "./Code";
import { labAddress } from "./links";

// A link to a state of the lab may contain spaces and one level of parentheses.
const LAB_LINK = /\[([^\]]*)\]\(lab:((?:[^()]|\([^()]*\))*)\)/g;

interface Props {
  text: string;
  /** The number of the lesson that links to other rooms lead back to. */
  lesson?: number | undefined;
  /** The level of the largest heading. */
  level?: number;
}

export function Markdown({ text, lesson, level = 2 }: Props) {
  const tokens = lexer(text.replace(LAB_LINK, "[$1](<lab:$2>)"));
  return <>{blocks(tokens, { lesson, level })}</>;
}

interface Context {
  lesson: number | undefined;
  level: number;
}

function blocks(tokens: Token[], context: Context): ComponentChildren {
  return tokens.map((token, i) => <Part key={i} token={token} context={context} />);
}

function Part({ token, context }: { token: Token; context: Context }): ComponentChildren {
  const inner = () => blocks(("tokens" in token && token.tokens) || [], context);
  switch (token.type) {
    case "space":
      return null;
    case "paragraph":
      return <p>{inner()}</p>;
    case "heading": {
      const Heading = `h${Math.min(6, (token as Tokens.Heading).depth - 1 + context.level)}` as "h2";
      return <Heading>{inner()}</Heading>;
    }
    case "list": {
      const { ordered, items, start } = token as Tokens.List;
      const list = items.map((item, i) => <li key={i}>{blocks(item.tokens, context)}</li>);
      return ordered ? <ol start={Number(start) || 1}>{list}</ol> : <ul>{list}</ul>;
    }
    case "blockquote":
      return <blockquote>{inner()}</blockquote>;
    case "code":
      return <Code text={(token as Tokens.Code).text} isPython={(token as Tokens.Code).lang === "python"} />;
    case "table":
      return <Table table={token as Tokens.Table} context={context} />;
    case "hr":
      return <hr />;
    case "strong":
      return <strong>{inner()}</strong>;
    case "em":
      return <em>{inner()}</em>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return (
        <Link href={(token as Tokens.Link).href} lesson={context.lesson}>
          {inner()}
        </Link>
      );
    case "text":
      return "tokens" in token && token.tokens ? inner() : (token as Tokens.Text).text;
    case "escape":
      return (token as Tokens.Escape).text;
    default:
      return token.raw;
  }
}

function Table({ table, context }: { table: Tokens.Table; context: Context }) {
  return (
    <div class="table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, i) => (
              <th key={i} scope="col">
                {blocks(cell.tokens, context)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, k) => (
                <td key={k}>{blocks(cell.tokens, context)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Link({ href, lesson, children }: { href: string; lesson: number | undefined; children: ComponentChildren }) {
  if (href.startsWith("lab:")) return <a href={labAddress(href.slice("lab:".length), lesson)}>{children}</a>;
  if (/^https?:\/\//.test(href))
    return (
      <a href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  return <>{children}</>;
}
