// The graph as a file: SVG with inline styles, and PNG rendered from it.
const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "stroke-linecap",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "visibility",
  "display",
];

/** The graph on the screen as a standalone SVG file. */
export function asSVG(picture: SVGSVGElement): string {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  const [from, to] = [
    [picture, ...picture.querySelectorAll("*")],
    [copy, ...copy.querySelectorAll("*")],
  ];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    const target = to[i]!;
    for (const name of STYLES) target.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex"]) target.removeAttribute(name);
  });
  for (const invisible of copy.querySelectorAll("[fill='none']:is([stroke='none'], [stroke='rgba(0, 0, 0, 0)'])"))
    invisible.remove();
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute(
    "fill",
    getComputedStyle(picture.closest(".card") ?? picture.closest(".adjoint") ?? picture).backgroundColor,
  );
  copy.prepend(paper);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

export async function asPNG(picture: SVGSVGElement): Promise<Blob> {
  const { width, height } = picture.viewBox.baseVal;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(asSVG(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const scale = Math.min(2, 8000 / Math.max(width, height));
  [canvas.width, canvas.height] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the image is too large")))),
  );
}

export function download(name: string, content: Blob | string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
