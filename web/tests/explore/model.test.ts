import { expect, test, vi } from "vitest";
import { type Model, recordingModel, request } from "../../src/explore/model";
import { productPlusInput } from "../scenes";

/** A model that records what is sent, and whose answers the test gives. */
function fakeModel() {
  const callbacks = new Set<(answer: never) => void>();
  const sent: { id: number; do: string }[] = [];
  const model = {
    on: (_: string, callback: (answer: never) => void) => callbacks.add(callback),
    off: (_: string, callback: (answer: never) => void) => callbacks.delete(callback),
    send: (content: { id: number; do: string }) => sent.push(content),
  } as unknown as Model;
  const answer = (content: unknown) => {
    for (const callback of [...callbacks]) callback(content as never);
  };
  return { model, sent, answer, callbacks };
}

test("a request takes the answer with its own number and then stops listening", async () => {
  const { model, sent, answer, callbacks } = fakeModel();
  const result = request(model, "nudge", { name: "a" });
  expect(sent[0]).toMatchObject({ do: "nudge", name: "a" });
  answer({ id: sent[0]!.id + 1, ok: { other: true } });
  answer({ id: sent[0]!.id, ok: { real: 3 } });
  await expect(result).resolves.toEqual({ real: 3 });
  expect(callbacks.size).toBe(0);
});

test("a request fails with the message of the answer", async () => {
  const { model, sent, answer } = fakeModel();
  const result = request(model, "nudge");
  answer({ id: sent[0]!.id, error: "h must not be 0" });
  await expect(result).rejects.toThrow("h must not be 0");
});

test("a recording can be played: its step changes, and listeners hear of it", () => {
  const model = recordingModel({ scene: productPlusInput(), title: "a*b + a", at: 3 });
  const listener = vi.fn();
  model.on("change:at", listener);
  model.set("at", 4);
  expect(model.get("at")).toBe(4);
  expect(listener).toHaveBeenCalledTimes(1);
  model.off("change:at", listener);
  model.set("at", 5);
  expect(listener).toHaveBeenCalledTimes(1);
});
