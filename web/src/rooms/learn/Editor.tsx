// The learner's file in the editor.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { type Editor as CodeEditor, createEditor } from "./codemirror";
import type { Exercise } from "./messages";
import { check, edit, editorText, outcome, problemLine } from "./room";

export function Editor({ exercise }: { exercise: Exercise }) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const { text, count } = editorText.value;
  useLayoutEffect(() => {
    const created = createEditor(host.current!, {
      label: `Program ${exercise.file}`,
      text,
      onChange: edit,
      onCheck: () => void check(),
    });
    editor.current = created;
    return () => created.destroy();
  }, [exercise]);
  // At once: in a hidden tab, other effects wait, and the learner may type there next.
  useLayoutEffect(() => {
    if (count > 0) editor.current?.replaceText(text);
  }, [count]);

  useEffect(() => editor.current?.mark(problemLine()), [outcome.value]);
  return <div class="editor" ref={host} data-testid="editor" />;
}
