// A stand-in for shared/connection: the test answers requests and pushes events.
import { signal } from "@preact/signals";
import { vi } from "vitest";
import type { Message } from "../../src/shared/connection";
import type { Progress } from "../../src/shared/transport";

export interface FakeRequest {
  room: string;
  command: string;
  fields: Message;
  answer: (result: Message) => Promise<void>;
  fail: (error: Error) => Promise<void>;
}

export function fakeConnection() {
  const requests: FakeRequest[] = [];
  const listeners = new Map<string, (event: Message) => void>();
  const restores: (() => void)[] = [];
  class Disconnected extends Error {}
  // Promises of the code under test settle in several microtasks.
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve));
  const module = {
    connection: signal("open"),
    progress: signal<Progress | null>(null),
    Disconnected,
    ask: (room: string, command: string, fields: Message = {}) =>
      new Promise<Message>((resolve, reject) => {
        const answer = (result: Message) => {
          resolve(result);
          return settle();
        };
        const fail = (error: Error) => {
          reject(error);
          return settle();
        };
        requests.push({ room, command, fields, answer, fail });
      }),
    onEvent: (room: string, listener: (event: Message) => void) => {
      listeners.set(room, listener);
      return vi.fn();
    },
    onReconnect: (restore: () => void) => restores.push(restore),
  };
  return {
    module,
    requests,
    restores,
    push: (room: string, event: Message) => listeners.get(room)?.(event),
    last: (command: string) => requests.findLast((request) => request.command === command)!,
    settle,
  };
}

/** Go to an address as a page load does. Modules of earlier tests write their pending address first. */
export function visit(hash: string): void {
  dispatchEvent(new Event("pagehide"));
  history.replaceState(null, "", `/${hash}`);
  vi.resetModules();
}

/** A storage that holds one text and has no room for another. */
export function fullStorage(key: string, text: string) {
  return {
    getItem: (asked: string) => (asked === key ? text : null),
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
}
