// What spares most of the work while a slider moves: parts of the graph that look as before are not drawn again.
import { Component, type ComponentChild, type ComponentType } from "preact";

/** A component that is drawn again only when one of its properties is another. */
export function memo<P extends object>(draw: (props: P) => ComponentChild): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = Object.keys({ ...this.props, ...next }) as (keyof P)[];
      return names.some((name) => next[name] !== (this.props as P)[name]);
    }

    override render(): ComponentChild {
      return draw(this.props as P);
    }
  };
}
