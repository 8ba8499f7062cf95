// The entry of the static site: the lab with a start page, a link to the documentation, and an engine in a worker.
import { openLab } from "../shell/App";
import { Start } from "./Start";

openLab({
  title: "adjoint",
  Start,
  links: <a href="docs/index.html">Docs</a>,
  Notice: () => null,
});
