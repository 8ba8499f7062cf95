// Leaves the page after the last test of a file, as a browser does before it takes the page away: no timer of the page
// may run later.
import { afterAll } from "vitest";

afterAll(async () => {
  dispatchEvent(new Event("pagehide"));
  await new Promise((resolve) => setTimeout(resolve)); // for the event that follows a change of the address
});
