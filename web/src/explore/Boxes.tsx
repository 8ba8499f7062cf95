// The nodes of the graph as boxes with value and gradient, and the edges to their operands as curves.
import type { BoxFigures, CurveFigures } from "./figures";
import { memo } from "./memo";
import type { Hovered } from "./model";

interface BoxProps {
  index: number;
  name: string;
  formula: string;
  sign: string;
  x: number;
  y: number;
  width: number;
  height: number;
  classes: string;
  figures: BoxFigures;
  showGradient: boolean;
  onHover: (hovered: Hovered) => void;
  onSelect: ((index: number) => void) | undefined;
}

function truncate(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

export const Box = memo(
  ({
    index,
    name,
    formula,
    sign,
    x,
    y,
    width,
    height,
    classes,
    figures,
    showGradient,
    onHover,
    onSelect,
  }: BoxProps) => {
    const [left, top] = [-width / 2, -height / 2];
    const signText = truncate(sign, 8);
    const signWidth = Math.max(24, 12 + 7 * signText.length);
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: the role is "button" whenever the node can be selected
      <g
        class={classes}
        transform={`translate(${x},${y})`}
        tabindex={0}
        role={onSelect ? "button" : "img"}
        aria-label={figures.spoken}
        data-node={name}
        onPointerEnter={() => onHover({ node: index })}
        onFocus={() => onHover({ node: index })}
        onBlur={() => onHover(null)}
        onClick={() => onSelect?.(index)}
        onKeyDown={(event) => {
          if (onSelect && (event.key === "Enter" || event.key === " ")) {
            event.preventDefault();
            event.stopPropagation();
            onSelect(index);
          }
        }}
      >
        <rect class="focus" x={left - 4} y={top - 4} width={width + 8} height={height + 8} rx={13} />
        <rect class="box" x={left} y={top} width={width} height={height} rx={10} />
        {sign && (
          <g class="op" transform={`translate(${left + 12},${top + 11})`}>
            <title>{formula}</title>
            <rect x={-7} y={-7} width={signWidth} height={18} rx={9} />
            <text x={-7 + signWidth / 2} y={6} text-anchor="middle">
              {signText}
            </text>
          </g>
        )}
        <text class="name" x={-left - 10} y={top + 18} text-anchor="end">
          {truncate(name, 10)}
        </text>
        <text class="key" x={left + 9} y={top + 39}>
          value
        </text>
        <text class="data" x={-left - 9} y={top + 39} text-anchor="end">
          {figures.data}
        </text>
        {showGradient && (
          <>
            <text class="key" x={left + 9} y={top + 56}>
              grad
            </text>
            <text class={figures.gradClass} x={-left - 9} y={top + 56} text-anchor="end">
              {figures.grad}
            </text>
            <rect class={figures.barClass} x={left + 2} y={-top - 4} width={figures.bar} height={3} rx={1.5} />
          </>
        )}
      </g>
    );
  },
);

interface CurveProps {
  index: number;
  path: string;
  classes: string;
  figures: CurveFigures;
  showGradient: boolean;
  onHover: (hovered: Hovered) => void;
}

export const Curve = memo(({ index, path, classes, figures, showGradient, onHover }: CurveProps) => (
  <g class={classes}>
    {showGradient && <path class={figures.flowClass} d={path} stroke-width={figures.flow} />}
    <path class="line" d={path} />
    <path class="touch" d={path} onPointerEnter={() => onHover({ edge: index })} />
  </g>
));

/** The local derivative of an edge: the factor of the gradient in the backward pass. */
export function Local({ text, x, y }: { text: string; x: number; y: number }) {
  return (
    <g class="local" transform={`translate(${x},${y})`}>
      <rect x={-(8 + 3.8 * text.length)} y={-10} width={16 + 7.6 * text.length} height={20} rx={10} />
      <text text-anchor="middle" y={4}>
        {text}
      </text>
    </g>
  );
}
