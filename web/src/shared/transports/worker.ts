// The transport of the static site: a worker in which Python runs. It is started by the first request, so that a page
// which only shows a graph loads no Python.
import type { FromEngine } from "../../page/engine";
import type { CreateTransport } from "../transport";

const NOT_LOADED =
  "The program that runs Python could not be loaded. Check the network connection, then reload the page.";
const MAX_RESTARTS = 3;

export const createTransport: CreateTransport = (events) => {
  let worker: Worker | undefined;
  let failure = "";
  let restarts = 0;

  function start(): void {
    if (worker || failure) return;
    const engine = new Worker(new URL("../../page/engine.worker.ts", import.meta.url), { type: "module" });
    worker = engine;
    let isReady = false;
    engine.onmessage = ({ data }: MessageEvent<FromEngine>) => {
      if (typeof data === "string") events.receive(data);
      else if (data.kind === "progress") events.progress(data);
      else if (data.kind === "ready") {
        isReady = true;
        events.progress(null);
        events.open();
      } else stop(data.text, isReady);
    };
    engine.onerror = (event) => {
      event.preventDefault();
      stop(isReady ? event.message : NOT_LOADED, isReady);
    };
  }

  /** Python has failed. If it had worked before, start it again: the rooms restore what they show. */
  function stop(text: string, wasReady: boolean): void {
    worker?.terminate();
    worker = undefined;
    events.progress(null);
    if (wasReady && restarts++ < MAX_RESTARTS) {
      console.warn(`Python is started again, because it stopped: ${text}`);
      events.lost();
      events.state("connecting");
      start();
    } else {
      failure = wasReady ? `Python has stopped several times (${text}). Reload the page to start it again.` : text;
      events.state(failure);
      events.lost();
    }
  }

  return { start, send: (text) => worker?.postMessage(text), refusal: () => failure };
};
