// The editor: CodeMirror with Python. It lives in a shadow root, because CodeMirror adds its styles to the page as <style>
// elements, which the lab's content security policy forbids, except in a shadow root, where it uses style sheet objects.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

export interface Editor {
  setText: (text: string) => void;
  /** Replace the text so that Undo brings the old one back. */
  replaceText: (text: string) => void;
  /** Mark a line, or no line, and scroll to it. */
  mark: (line: number | null) => void;
  focus: () => void;
  setLabel: (label: string) => void;
  destroy: () => void;
}

interface Options {
  label: string;
  text: string;
  onChange: (text: string) => void;
  onCheck: () => void;
}

const setMark = StateEffect.define<number | null>();
const problemLine = Decoration.line({ class: "cm-problem" });

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(found, transaction) {
    let next = found.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setMark)) continue;
      const { doc } = transaction.state;
      const isLine = effect.value !== null && effect.value >= 1 && effect.value <= doc.lines;
      next = isLine ? Decoration.set([problemLine.range(doc.line(effect.value!).from)]) : Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const theme = EditorView.theme({
  "&": { backgroundColor: "var(--card)", color: "var(--ink)", fontSize: "13.5px" },
  "&.cm-focused": { outline: "none" }, // the frame around the editor shows the focus
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    lineHeight: "1.55",
    overflow: "auto",
    maxHeight: "max(300px, 46vh)",
  },
  ".cm-content, .cm-gutter": { minHeight: "120px" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 12px 0 8px" },
  ".cm-gutters": { backgroundColor: "var(--sunk)", color: "var(--soft)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 12px", minWidth: "34px" },
  ".cm-activeLine": { backgroundColor: "color-mix(in oklab, var(--accent), transparent 94%)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in oklab, var(--accent), transparent 75%)",
  },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--accent-soft)",
    outline: "1px solid var(--accent)",
  },
  ".cm-problem": { backgroundColor: "var(--warn-soft)", boxShadow: "inset 4px 0 0 var(--warn)" },
  ".tok-keyword, .tok-operatorKeyword": { color: "var(--code-keyword)" },
  ".tok-string, .tok-string2": { color: "var(--code-string)" },
  ".tok-number, .tok-bool, .tok-atom": { color: "var(--code-number)" },
  ".tok-comment": { color: "var(--code-comment)", fontStyle: "italic" },
  ".tok-definition, .tok-className": { color: "var(--code-name)" },
});

export function createEditor(host: HTMLElement, { label, text, onChange, onCheck }: Options): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open", delegatesFocus: true });
  let name = label;
  let isSetting = false;
  const run = () => {
    onCheck();
    return true;
  };
  const extensions: Extension = [
    Prec.highest(keymap.of([{ key: "Mod-Enter", run }])),
    lineNumbers(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    indentOnInput(),
    bracketMatching(),
    indentUnit.of("    "),
    EditorState.tabSize.of(4),
    pythonLanguage,
    syntaxHighlighting(classHighlighter),
    marks,
    theme,
    // Tab indents. Escape and then Tab leaves the editor, which CodeMirror provides.
    keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap]),
    // Chromium replaces whole lines by an element with a style attribute, which the policy of the page reports.
    EditorView.domEventHandlers({
      beforeinput(event, { state, dispatch }) {
        if (event.inputType !== "insertText" || !event.data || state.selection.main.empty) return false;
        dispatch(state.replaceSelection(event.data), { userEvent: "input.type" });
        return true;
      },
    }),
    EditorView.contentAttributes.of(() => ({
      "aria-label": name,
      "aria-description": "Escape, then Tab leaves",
      tabindex: "0",
    })),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !isSetting) onChange(update.state.doc.toString());
    }),
  ];
  const stateOf = (doc: string) => EditorState.create({ doc, extensions });
  const view = new EditorView({ state: stateOf(text), parent: root as unknown as Element, root });
  return {
    setText: (next) => view.setState(stateOf(next)),
    replaceText(next) {
      isSetting = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next }, selection: { anchor: 0 } });
      isSetting = false;
    },
    mark(line) {
      const isLine = line !== null && line >= 1 && line <= view.state.doc.lines;
      const scroll = isLine ? [EditorView.scrollIntoView(view.state.doc.line(line).from, { y: "center" })] : [];
      view.dispatch({ effects: [setMark.of(line), ...scroll] });
    },
    focus: () => view.focus(),
    setLabel(next) {
      name = next;
      view.dispatch({});
    },
    destroy: () => view.destroy(),
  };
}
