import { beforeEach, expect, test, vi } from "vitest";
import { fullStorage } from "../rooms/fakeConnection";

/** Load the module again at an address, as a page load does. */
async function load(hash: string) {
  vi.resetModules();
  history.replaceState(null, "", `/${hash}`);
  return import("../../src/shared/fragment");
}

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

test("an address names a room and its state", async () => {
  const { room, stateOf } = await load("#train?data=xor&lr=0.1");
  expect(room.value).toBe("train");
  expect(Object.fromEntries(stateOf("train"))).toEqual({ data: "xor", lr: "0.1" });
});

test("without an address, Explore opens with no state", async () => {
  const { room, stateOf } = await load("");
  expect(room.value).toBe("explore");
  expect(stateOf("explore").size).toBe(0);
});

test("an unknown room opens Explore", async () => {
  const { room } = await load("#attic?x=1");
  expect(room.value).toBe("explore");
});

test("the token is stored and removed from the address", async () => {
  const { token } = await load("#token=secret");
  expect(token()).toBe("secret");
  expect(location.hash).toBe("#explore");
  expect(localStorage.getItem("adjoint.lab.token")).toBe("secret");
});

test("the token does not disturb the state next to it", async () => {
  const { stateOf, token } = await load("#quiz?seed=7&token=secret");
  expect(token()).toBe("secret");
  expect(stateOf("quiz").toString()).toBe("seed=7");
  expect(location.hash).toBe("#quiz?seed=7");
});

test("saved states reach the address once, after a delay", async () => {
  const { saveState } = await load("#explore");
  const replace = vi.spyOn(history, "replaceState");
  for (let a = 0; a < 50; a++) saveState("explore", { e: "a*b", "n.a": a });
  expect(replace).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(replace).toHaveBeenCalledTimes(1);
  expect(location.hash).toBe("#explore?e=a*b&n.a=49");
});

test("brackets and commas stay readable, and undefined parameters are left out", async () => {
  const { saveState } = await load("#explore");
  saveState("explore", { e: "max(a, b)/2", at: undefined });
  vi.advanceTimersByTime(1000);
  expect(location.hash).toBe("#explore?e=max(a,+b)/2");
});

test("a saved address restores the same expression", async () => {
  const { saveState } = await load("#explore");
  saveState("explore", { e: "(a + b)**2 % 3 & c" });
  vi.advanceTimersByTime(1000);
  const { stateOf } = await load(location.hash);
  expect(stateOf("explore").get("e")).toBe("(a + b)**2 % 3 & c");
});

test("a room that is not open does not change the address", async () => {
  const { saveState, openRoom } = await load("#explore");
  saveState("train", { data: "moons" });
  vi.advanceTimersByTime(1000);
  expect(location.hash).toBe("#explore");
  openRoom("train");
  expect(location.hash).toBe("#train?data=moons");
});

test("opening a room with a state tells its listener, until it unsubscribes", async () => {
  const { onState, openRoom } = await load("#train");
  const listener = vi.fn();
  const leave = onState("explore", listener);
  openRoom("explore", new URLSearchParams("e=a"));
  expect(listener).toHaveBeenCalledTimes(1);
  leave();
  openRoom("explore", new URLSearchParams("e=b"));
  expect(listener).toHaveBeenCalledTimes(1);
});

test("a change of the address by the user tells the listener of its room", async () => {
  const { onState } = await load("#explore?e=a");
  const listener = vi.fn();
  onState("explore", listener);
  history.replaceState(null, "", "/#explore?e=b");
  dispatchEvent(new Event("hashchange"));
  expect(listener.mock.calls[0]![0].get("e")).toBe("b");
});

test("a link to a room that was left before reaches it when it opens again", async () => {
  const { onState } = await load("#explore?e=a");
  const listener = vi.fn();
  onState("explore", listener)();
  for (const hash of ["/#train", "/#explore?e=b"]) {
    history.replaceState(null, "", hash);
    dispatchEvent(new Event("hashchange"));
  }
  onState("explore", listener)();
  expect(listener.mock.calls.map(([state]) => state.get("e"))).toEqual(["b"]);
  onState("explore", listener);
  expect(listener).toHaveBeenCalledTimes(1);
});

test("a room that was left and is opened with its own address keeps what it shows", async () => {
  const { onState } = await load("#explore?e=a");
  const listener = vi.fn();
  onState("explore", listener)();
  for (const hash of ["/#train", "/#explore?e=a"]) {
    history.replaceState(null, "", hash);
    dispatchEvent(new Event("hashchange"));
  }
  onState("explore", listener);
  expect(listener).not.toHaveBeenCalled();
});

test("a room keeps the lesson from which it was opened, whatever state the room saves", async () => {
  const { lessonBehind, openRoom, saveState, stateOf } = await load("#explore?e=a*b&learn=3");
  expect(lessonBehind.value).toBe("3");
  expect(Object.fromEntries(stateOf("explore"))).toEqual({ e: "a*b" });
  saveState("explore", { e: "a*c" });
  vi.advanceTimersByTime(1000);
  expect(location.hash).toBe("#explore?e=a*c&learn=3");
  openRoom("train");
  expect(lessonBehind.value).toBe("");
  openRoom("explore");
  expect(location.hash).toBe("#explore?e=a*c&learn=3");
});

test("a lesson that is not a number is ignored", async () => {
  const { lessonBehind } = await load("#explore?e=a*b&learn=javascript:x");
  expect(lessonBehind.value).toBe("");
});

test("a page whose browser refuses storage has its token until it is closed", async () => {
  vi.stubGlobal("localStorage", fullStorage("adjoint.lab.token", "old"));
  const { token } = await load("#explore?token=new");
  expect(token()).toBe("new");
  vi.unstubAllGlobals();
  expect(location.hash).toBe("#explore");
});

test("embed shows just a graph and stays in the address", async () => {
  const { isEmbedded, saveState, stateOf } = await load("#explore?expression=tanh(a*b)&embed");
  expect(isEmbedded.value).toBe(true);
  expect(Object.fromEntries(stateOf("explore"))).toEqual({ expression: "tanh(a*b)" });
  saveState("explore", { e: "tanh(a*b)", "n.a": 3 });
  vi.advanceTimersByTime(1000);
  expect(location.hash).toBe("#explore?e=tanh(a*b)&n.a=3&embed");
});

test("on the static site, an address without a room is the start page", async () => {
  vi.stubEnv("MODE", "site");
  const { openRoom, places, room } = await load("");
  vi.unstubAllEnvs();
  expect(places[0]).toBe("start");
  expect(room.value).toBe("start");
  openRoom("quiz");
  expect(location.hash).toBe("#quiz");
  openRoom("start");
  expect([location.hash, room.value]).toEqual(["", "start"]);
});
