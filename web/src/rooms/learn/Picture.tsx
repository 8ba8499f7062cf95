// A picture in SVG. It lives in a shadow root, so that its styles concern nothing else, and it is built from known elements
// only, so that a picture cannot run a script or load a file.
import { useLayoutEffect, useRef } from "preact/hooks";
import { scheme } from "../../shared/scheme";

const SVG = "http://www.w3.org/2000/svg";
const ELEMENTS = new Set(
  "svg g path line rect circle ellipse polyline polygon text tspan title desc defs marker clipPath linearGradient radialGradient stop use".split(
    " ",
  ),
);
const STYLE = "data-style";
const FRAME = `
  :host { display: block; overflow-x: auto; color: var(--ink); }
  svg { display: block; margin: 0 auto; max-width: 100%; height: auto; color-scheme: inherit !important; background: transparent !important; }
`;

export function Picture({ svg, label }: { svg: string; label?: string }) {
  const host = useRef<HTMLDivElement>(null);
  const colors = scheme.value;
  useLayoutEffect(() => {
    const element = host.current!;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const { markup, styles } = withoutStyles(svg);
    const source = new DOMParser().parseFromString(markup, "image/svg+xml").documentElement;
    const picture = copy(source);
    root.adoptedStyleSheets = [...styles.map((style) => sheet(style, colors)), sheet(FRAME, colors)];
    root.replaceChildren(...(picture ? [picture] : []));
    // A wide picture scrolls instead of becoming too small to read.
    const width = Number(
      source
        .getAttribute("viewBox")
        ?.trim()
        .split(/[\s,]+/)[2],
    );
    if (picture && width > 0) {
      picture.style.minWidth = `${Math.round(0.62 * width)}px`;
      picture.style.width = `${Math.round(width)}px`;
      const marked = picture.querySelector(".marked")?.getBoundingClientRect();
      if (marked) {
        const { left, width } = element.getBoundingClientRect();
        element.scrollLeft += marked.left + marked.width / 2 - left - width / 2;
      }
    }
  }, [svg, colors]);
  return <div class="svg" ref={host} tabIndex={0} role="group" aria-label={label || "Picture"} />;
}

/** Styles in markup would violate the content security policy of the page, so they are applied as objects. */
function withoutStyles(svg: string): { markup: string; styles: string[] } {
  const styles: string[] = [];
  const markup = svg.replace(/<style[^>]*>([\s\S]*?)<\/style>/g, (_, text: string) => {
    styles.push(text.replace(/<!\[CDATA\[|\]\]>/g, "").replace(/&gt;/g, ">"));
    return "";
  });
  return { markup: markup.replace(/(\s)style=/g, `$1${STYLE}=`), styles };
}

function sheet(text: string, colors: string): CSSStyleSheet {
  const found = new CSSStyleSheet();
  found.replaceSync(text);
  for (const rule of found.cssRules) {
    // A picture follows the system; the lab may have been set to the other colors.
    if (colors === "auto" || !(rule instanceof CSSMediaRule)) continue;
    const asked = /prefers-color-scheme:\s*(light|dark)/.exec(rule.conditionText)?.[1];
    if (asked) rule.media.mediaText = asked === colors ? "all" : "not all";
  }
  return found;
}

function copy(source: Element): SVGElement | null {
  if (source.namespaceURI !== SVG || !ELEMENTS.has(source.localName)) return null;
  const element = document.createElementNS(SVG, source.localName) as SVGElement;
  for (const { name, value } of source.attributes) {
    if (name === STYLE) element.style.cssText = value;
    else if (/^(xlink:)?href$/.test(name) ? value.startsWith("#") : !/^(on|xmlns)/i.test(name))
      element.setAttribute(name.replace("xlink:", ""), value);
  }
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) element.append(child.textContent ?? "");
    else if (child instanceof Element) {
      const inner = copy(child);
      if (inner) element.append(inner);
    }
  }
  return element;
}
