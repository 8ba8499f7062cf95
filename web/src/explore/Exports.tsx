// Exports: the graph as a picture, the steps as a standalone page, and the program.
import { useEffect, useRef, useState } from "preact/hooks";
import { memo } from "./memo";
import { type Model, request, type Scene } from "./model";
import { asPNG, asSVG, download } from "./pictures";

const LIBRARIES = { adjoint: "adjoint", torch: "PyTorch" } as const;
type Library = keyof typeof LIBRARIES;

interface Props {
  model: Model;
  scene: Scene;
  picture: () => SVGSVGElement | null;
  at: number;
}

export const Exports = memo(({ model, scene, picture, at }: Props) => {
  const [isOpen, setOpen] = useState(false);
  const [message, setMessage] = useState("");
  const kind = model.get("kind");
  const fail = (problem: Error) => setMessage(problem.message);
  const save = (take: (shown: SVGSVGElement) => Promise<void> | void) => {
    const shown = picture();
    if (shown) void Promise.resolve(take(shown)).then(() => setMessage(""), fail);
  };
  const saveSVG = (shown: SVGSVGElement) => download("graph.svg", asSVG(shown), "image/svg+xml");
  const savePNG = (shown: SVGSVGElement) => asPNG(shown).then((blob) => download("graph.png", blob, "image/png"));
  const savePage = () =>
    request(model, "export", { at }).then(({ html }) => download("adjoint.html", html as string, "text/html"), fail);
  return (
    <section class="exports" aria-label="Export">
      <div class="row buttons">
        <span class="small soft" role="status">
          {message}
        </span>
        <button type="button" onClick={() => save(saveSVG)}>
          SVG
        </button>
        <button type="button" onClick={() => save(savePNG)}>
          PNG
        </button>
        {kind !== "recording" && (
          <button type="button" onClick={savePage} title="One HTML file that plays these steps without a server">
            HTML
          </button>
        )}
        {kind === "expression" && (
          <button type="button" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            Copy as Python
          </button>
        )}
      </div>
      {isOpen && <Program model={model} scene={scene} onMessage={setMessage} />}
    </section>
  );
});

function Program({ model, scene, onMessage }: { model: Model; scene: Scene; onMessage: (text: string) => void }) {
  const [program, setProgram] = useState<Record<Library, string> | null>(null);
  const [library, setLibrary] = useState<Library>("adjoint");
  const shown = useRef(""); // a message stands until another program arrives: one change may ask for the program twice
  useEffect(() => {
    let isCurrent = true;
    request(model, "program").then(
      (result) => {
        if (!isCurrent) return;
        const programs = result as Record<Library, string>;
        if (programs.adjoint !== shown.current) onMessage("");
        shown.current = programs.adjoint;
        setProgram(programs);
      },
      (problem: Error) => {
        if (!isCurrent) return;
        shown.current = "";
        onMessage(problem.message);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [model, scene]);
  const copy = () =>
    navigator.clipboard.writeText(program![library]).then(
      () => onMessage("copied"),
      () => onMessage("the browser does not allow copying here; select the text instead"),
    );
  if (!program) return null;
  return (
    <div class="program">
      <div class="row" role="group" aria-label="Library">
        {(Object.keys(LIBRARIES) as Library[]).map((name) => (
          <button type="button" key={name} aria-pressed={library === name} onClick={() => setLibrary(name)}>
            {LIBRARIES[name]}
          </button>
        ))}
        <button type="button" onClick={copy}>
          Copy
        </button>
      </div>
      <pre tabIndex={0} role="region" aria-label="Program" data-testid="program">
        {program[library]}
      </pre>
    </div>
  );
}
