// The entry of the static site: the lab with a start page, a link to the documentation, and an engine in a worker.
import "./site.css";
import { setPrebuilt } from "../rooms/explore/prebuilt";
import { openLab } from "../shell/App";
import { EngineBar } from "./EngineBar";
import { Start } from "./Start";

setPrebuilt(fetch("scenes.json").then((response) => (response.ok ? response.json() : null)));
openLab({
  title: "adjoint",
  Start,
  links: (
    <a class="site-link" href="docs/index.html">
      Docs
    </a>
  ),
  Notice: EngineBar,
});
