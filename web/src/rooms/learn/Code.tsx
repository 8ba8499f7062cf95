// A program in the text, with the colors of the editor.
import { classHighlighter, highlightCode } from "@lezer/highlight";
import { parser } from "@lezer/python";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

export function Code({ text, isPython = true }: { text: string; isPython?: boolean }) {
  const parts = useMemo(() => (isPython ? highlight(text.trimEnd()) : text.trimEnd()), [text, isPython]);
  return (
    <pre class="program" tabIndex={0}>
      <code>{parts}</code>
    </pre>
  );
}

function highlight(text: string): ComponentChildren {
  const parts: ComponentChildren[] = [];
  highlightCode(
    text,
    parser.parse(text),
    classHighlighter,
    (piece, classes) => parts.push(classes ? <span class={classes}>{piece}</span> : piece),
    () => parts.push("\n"),
  );
  return parts;
}
