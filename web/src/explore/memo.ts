// Memoized components: they skip rendering if no property has changed, which keeps sliders fast.
import { Component, type ComponentChild, createElement, type FunctionComponent } from "preact";

/** A component that renders only if one of its properties has changed. Every property must always be passed. */
export function memo<P extends object>(component: FunctionComponent<P>): new () => Component<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      for (const name in next) if (next[name] !== (this.props as P)[name]) return true;
      return false;
    }

    override render(): ComponentChild {
      return createElement(component, this.props as P);
    }
  };
}
