// What spares most of the work while a slider moves: what looks as before is not drawn again.
import { Component, type ComponentChild, createElement, type FunctionComponent } from "preact";

/** A component that is drawn again only when one of its properties is another; each of them is always given. */
export function memo<P extends object>(draw: FunctionComponent<P>): new () => Component<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      for (const name in next) if (next[name] !== (this.props as P)[name]) return true;
      return false;
    }

    override render(): ComponentChild {
      return createElement(draw, this.props as P);
    }
  };
}
