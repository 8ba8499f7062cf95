// What went wrong in a room.
import { connection } from "./connection";

/** A problem, unless the page says the same above the room: that there is no connection. */
export function Problem({ text }: { text: string }) {
  if (!text || text === connection.value) return null;
  return (
    <p class="callout" role="alert">
      {text}
    </p>
  );
}
