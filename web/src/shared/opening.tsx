// What a room shows until the engine has answered its first request.
import { connection } from "./connection";

/** Until there is a connection, the page says what it waits for. */
export function Opening() {
  if (connection.value !== "open") return null;
  return (
    <p class="soft" role="status">
      Opening the room …
    </p>
  );
}
