// What can be taken away: the picture, the steps as a page that plays by itself, the program.
import { useState } from "preact/hooks";
import { type Model, request } from "./model";
import { asPNG, asSVG, download } from "./pictures";

export function Exports({ model, picture, at }: { model: Model; picture: () => SVGSVGElement | null; at: number }) {
  const [program, setProgram] = useState<{ adjoint: string; torch: string } | null>(null);
  const [library, setLibrary] = useState<"adjoint" | "torch">("adjoint");
  const [said, setSaid] = useState("");
  const kind = model.get("kind");
  const tell = (text: string) => setSaid(text);
  const failed = (problem: Error) => tell(problem.message);
  const saveSVG = () => {
    const shown = picture();
    if (shown) download("graph.svg", asSVG(shown), "image/svg+xml");
  };
  const savePNG = () => {
    const shown = picture();
    if (shown) asPNG(shown).then((blob) => download("graph.png", blob, "image/png"), failed);
  };
  const savePage = () => request(model, "export", { at }).then(({ html }) => download("adjoint.html", html as string, "text/html"), failed);
  const openProgram = () => (program ? setProgram(null) : void request(model, "program").then((found) => setProgram(found as never), failed));
  const copy = () => navigator.clipboard.writeText(program![library]).then(() => tell("copied"), () => tell("the browser allows no copying here; select the text"));
  return (
    <section class="exports" aria-label="Take it with you">
      <div class="row">
        <button onClick={saveSVG}>SVG</button>
        <button onClick={savePNG}>PNG</button>
        {kind !== "recording" && (
          <button onClick={savePage} title="One HTML file that plays these steps, with no server">
            HTML
          </button>
        )}
        {kind === "expression" && (
          <button onClick={openProgram} aria-expanded={program !== null}>
            Copy as Python
          </button>
        )}
        <span class="small soft" role="status">
          {said}
        </span>
      </div>
      {program && (
        <div class="program">
          <div class="row" role="group" aria-label="Library">
            <button aria-pressed={library === "adjoint"} onClick={() => setLibrary("adjoint")}>
              adjoint
            </button>
            <button aria-pressed={library === "torch"} onClick={() => setLibrary("torch")}>
              PyTorch
            </button>
            <button onClick={copy}>Copy</button>
          </div>
          <pre tabIndex={0} data-testid="program">
            {program[library]}
          </pre>
        </div>
      )}
    </section>
  );
}
