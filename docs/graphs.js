// Replaces the pictures of graphs with frames of the lab, in which sliders move the inputs, when they come into view. Pages
// that were opened as files, printed pages and pages without scripts keep the pictures.
const lab = new URL("../index.html", document.currentScript.src);
const SLIDER_WIDTH = 300; // pixels for one slider with its name and number, as in explore.css
const SLIDER_HEIGHT = 36;
const LINK_HEIGHT = 24;
const GRAPH_HEIGHT = 230; // of a small graph
const NARROW = 560; // below this width, the lab draws a graph from top to bottom, with levels of this height
const LEVEL_HEIGHT = 92;

/** The height of the frame: that of the graph, of the sliders below it, and of the link to the lab. */
function heightOf(figure, picture) {
  const { inputs, levels } = figure.dataset;
  const width = figure.clientWidth;
  const graph = width < NARROW ? Number(levels) * LEVEL_HEIGHT : picture.scrollHeight;
  const rows = Math.ceil(Number(inputs) / Math.max(1, Math.floor(width / SLIDER_WIDTH)));
  return Math.max(GRAPH_HEIGHT, graph) + rows * SLIDER_HEIGHT + LINK_HEIGHT + 28;
}

function show(figure, picture) {
  const frame = document.createElement("iframe");
  frame.title = "Graph with sliders";
  frame.src = `${lab.pathname}#${figure.dataset.graph}`;
  addEventListener("message", function onMessage({ source, data }) {
    if (source !== frame.contentWindow || data?.adjoint !== "drawn") return;
    removeEventListener("message", onMessage);
    picture.classList.add("replaced");
    frame.classList.add("drawn");
  });
  picture.after(frame);
}

if (location.protocol.startsWith("http")) {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        show(target, target.querySelector(".picture"));
      }
    },
    { rootMargin: "200px" },
  );
  for (const figure of document.querySelectorAll("figure[data-graph]")) {
    const picture = figure.querySelector(".picture");
    // The height is reserved now, so that nothing moves when the frame appears.
    figure.style.setProperty("--frame-height", `${heightOf(figure, picture)}px`);
    figure.classList.add("live");
    observer.observe(figure);
  }
}
