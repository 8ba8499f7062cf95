// The transport of the served lab: a WebSocket with the token of the lab, which is opened again when it is lost.
import { token } from "../fragment";
import type { CreateTransport } from "../transport";

const NO_TOKEN =
  "This address has no token. Open the address that `adjoint lab` printed in the terminal: it ends in #token=…";
const WRONG_TOKEN =
  "This page has the token of an earlier lab. Open the address that `adjoint lab` printed in the terminal: it ends in #token=…";
const NO_ANSWER =
  "The lab does not answer. If it was stopped, start it again with `adjoint lab` and open the address that it prints.";
const MAX_ATTEMPTS = 60;

export const createTransport: CreateTransport = (events) => {
  let socket: WebSocket | undefined;
  let attempts = 0;

  function connect(): void {
    if (socket) return;
    if (!token()) {
      events.state(NO_TOKEN);
      return;
    }
    const url = new URL("socket", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    url.hash = "";
    const opening = new WebSocket(url, ["adjoint", token()]);
    socket = opening;
    opening.onopen = () => {
      attempts = 0;
      events.open();
    };
    opening.onmessage = ({ data }) => events.receive(data as string);
    opening.onclose = ({ reason }) => {
      socket = undefined;
      events.lost();
      attempts += 1;
      if (attempts === 1) events.state("connecting");
      else if (reason) events.state(reason);
      else void reportRefusal();
      if (attempts < MAX_ATTEMPTS) setTimeout(connect, Math.min(4000, 250 * 2 ** attempts));
    };
  }

  /** Say why the socket was refused. Browsers hide the reason; but a lab that serves the page has another token. */
  async function reportRefusal(): Promise<void> {
    const reason = await fetch(location.pathname, { method: "HEAD", cache: "no-store" }).then(
      ({ ok }) => (ok ? WRONG_TOKEN : NO_ANSWER),
      () => NO_ANSWER,
    );
    if (socket?.readyState !== WebSocket.OPEN) events.state(reason);
  }

  // Opening the address with the right token in this tab changes only the fragment and reloads nothing.
  addEventListener("hashchange", () => {
    attempts = 0;
    connect();
  });
  connect();
  return {
    start: connect,
    send: (text) => socket?.send(text),
    refusal: () => (socket || token() ? "" : NO_TOKEN),
  };
};
