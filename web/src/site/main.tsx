// The entry of the static site: the lab with a start page, a link to the documentation, and an engine in a worker.
import "./site.css";
import { setPrebuilt } from "../rooms/explore/prebuilt";
import { connect, connection } from "../shared/connection";
import { isEmbedded } from "../shared/fragment";
import { openLab } from "../shell/App";
import { EngineBar } from "./EngineBar";
import { Start } from "./Start";
import { registerServiceWorker } from "./updates";

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

if (!isEmbedded.value) {
  // The graph is painted first, then Python is loaded.
  requestAnimationFrame(() => setTimeout(connect));
  // The service worker stores the files of the engine; by then, the browser has them in its own cache.
  const stop = connection.subscribe((state) => {
    // A browser that refuses it, as some private windows do, shows the site all the same, but not offline.
    if (state === "open") registerServiceWorker().then(stop, stop);
  });
}
