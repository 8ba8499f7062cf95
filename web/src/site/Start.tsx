// The start page of the static site, for readers who have not heard of adjoint.
import { ExploreRoom } from "../rooms/explore";

export function Start() {
  return <ExploreRoom isCompact />;
}
