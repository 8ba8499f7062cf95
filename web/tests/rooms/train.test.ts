import { beforeEach, describe, expect, test, vi } from "vitest";
import { asAddress, explainUnknown, fromAddress } from "../../src/rooms/train/address";
import { nearestEdge, planDiagram } from "../../src/rooms/train/diagram";
import type { Change, Configuration, State } from "../../src/rooms/train/messages";
import type { Message } from "../../src/shared/connection";
import { choices, stateWith } from "./configurations";
import { fakeConnection, visit } from "./fakeConnection";

const message = (state: State) => state as unknown as Message;

function throughAddress(state: State, step = 0) {
  const params = new URLSearchParams();
  for (const [name, x] of Object.entries(asAddress(state, step, choices)))
    if (x !== undefined) params.set(name, String(x));
  return fromAddress(new URLSearchParams(params.toString()))!;
}

describe("address", () => {
  test("a preset needs only its name", () => {
    expect(asAddress(stateWith(), 0, choices)).toEqual({ data: "xor" });
  });
  test.each<[string, Partial<Configuration>]>([
    ["numbers", { lr: 3e-5, noise: 0.25, seed: 12 }],
    ["words", { activation: "relu", optimizer: "adam", engine: "array" }],
    ["no hidden layer", { hidden: [] }],
    ["an output activation and initial weights", { output: "tanh", init: "uniform" }],
    ["several hidden layers", { hidden: [8, 6, 4] }],
    ["a batch size", { batch_size: 16 }],
    ["points", { points: [[0.5, -1.25, 1]] }],
    [
      "rows of a table with labels",
      {
        rows: [
          [1, 2, 0],
          [3, 4.5, 1],
        ],
        labels: ["cat & dog", "a=b"],
      },
    ],
    [
      "rows with three inputs",
      {
        rows: [
          [1, 2, -3, 0],
          [3, 4.5, 0, 1],
        ],
      },
    ],
  ])("%s survive the way through the address", (_, changes) => {
    expect(throughAddress(stateWith(changes)).configuration).toMatchObject(changes);
  });
  test("a full batch survives where the preset has batches", () => {
    const own = { ...choices, presets: [{ ...choices.presets[0]!, batch_size: 8 }] };
    expect(asAddress(stateWith({ batch_size: null }), 0, own).batch_size).toBe("all");
    expect(fromAddress(new URLSearchParams("data=xor&batch_size=all"))!.configuration.batch_size).toBeNull();
  });
  test("the steps and the changes during the run survive", () => {
    const changes: Change[] = [
      { step: 3, lr: 0.5 },
      { step: 9, add: [0, 1, 1] },
      { step: 12, engine: "compiled" },
    ];
    expect(throughAddress(stateWith({}, { changes }), 42)).toMatchObject({ steps: 42, changes });
  });
  test("text that is no number is passed on for the server to reject", () => {
    const { configuration, steps } = fromAddress(
      new URLSearchParams("data=xor&lr=fast&batch_size=few&hidden=4,x&steps=many"),
    )!;
    expect(configuration).toMatchObject({ lr: "fast", batch_size: "few", hidden: [4, "x"] });
    expect(steps).toBe("many");
  });
  test("an unknown parameter is named", () => {
    expect(explainUnknown(new URLSearchParams("data=xor&rate=1&case=2"))).toContain("unknown in the address: rate;");
    expect(explainUnknown(new URLSearchParams("data=xor&lr=1&steps=3"))).toBe("");
  });
  test("an address without a data set describes no run", () => {
    expect(fromAddress(new URLSearchParams("lr=1"))).toBeNull();
  });
  test("changes that are not JSON are passed on for the server to reject", () => {
    expect(fromAddress(new URLSearchParams("data=xor&changes=[oops"))!.changes).toBe("[oops");
  });
});

describe("the diagram", () => {
  test("has a column for each layer, and neurons that do not overlap", () => {
    const { columns, side, width, height } = planDiagram([2, 16, 3, 1], 600);
    expect(columns.map((column) => column.length)).toEqual([2, 16, 3, 1]);
    for (const column of columns) {
      for (const [i, { x, y }] of column.entries()) {
        expect(x + side / 2).toBeLessThanOrEqual(width);
        expect(y + side / 2).toBeLessThanOrEqual(height);
        if (i) expect(y - column[i - 1]!.y).toBeGreaterThan(side);
      }
    }
  });
  test("becomes wider than its place rather than too dense", () => {
    expect(planDiagram([2, 4, 4, 4, 4, 4, 1], 300).width).toBeGreaterThan(300);
    expect(planDiagram([2, 4, 1], 600).width).toBe(600);
  });
  test("finds the curve under the pointer at its ends and in its middle", () => {
    const plan = planDiagram([2, 3], 600);
    for (const [from, a] of plan.columns[0]!.entries()) {
      for (const [to, b] of plan.columns[1]!.entries()) {
        const middle = [(a.x + b.x) / 2, (a.y + b.y) / 2] as const; // by symmetry, every curve goes through it
        const found = nearestEdge(plan, ...middle)!;
        const [c, d] = [plan.columns[0]![found.from]!, plan.columns[1]![found.to]!];
        expect((c.y + d.y) / 2).toBeCloseTo(middle[1]);
        const end = nearestEdge(plan, b.x - plan.side / 2 - 0.01, b.y);
        expect(end?.to).toBe(to);
        const start = nearestEdge(plan, a.x + plan.side / 2 + 0.01, a.y);
        expect(start?.from).toBe(from);
      }
    }
  });
  test("finds nothing away from all curves", () => {
    const plan = planDiagram([2, 3], 600);
    expect(nearestEdge(plan, plan.width / 2, 0)).toBeNull();
    expect(nearestEdge(plan, 0, plan.columns[0]![0]!.y)).toBeNull();
  });
});

describe("the room", () => {
  let socket: ReturnType<typeof fakeConnection>;

  /** Open the room; the server answers with this state. */
  async function open(state: State = stateWith()) {
    visit("#train");
    vi.doMock("../../src/shared/connection", () => socket.module);
    const room = await import("../../src/rooms/train/room");
    room.open();
    await socket.last("choices").answer(choices as unknown as Message);
    await socket.last("state").answer(message(state));
    return room;
  }
  beforeEach(() => {
    socket = fakeConnection();
  });

  test("opens with the state of the server", async () => {
    const room = await open();
    expect(room.state.value?.configuration.dataset).toBe("xor");
    expect(room.isBinary.value).toBe(true);
  });

  test("another number of classes brings a loss that fits, and drops points of missing classes", async () => {
    const room = await open(
      stateWith({
        points: [
          [0, 0, 1],
          [1, 1, 0],
        ],
      }),
    );
    room.set({ classes: 3 });
    expect(socket.last("set").fields.configuration).toMatchObject({ classes: 3, loss: "cross_entropy" });
    await socket
      .last("set")
      .answer(message(stateWith({ classes: 3, loss: "cross_entropy", points: [[0, 0, 2]] }, { run: 2 })));
    room.set({ classes: 2 });
    expect(socket.last("set").fields.configuration).toMatchObject({ classes: 2, loss: "hinge", points: [] });
  });

  test("another engine continues the run, and later settings and presets keep it", async () => {
    const room = await open();
    void room.tune({ engine: "compiled" });
    expect(socket.last("tune").fields).toEqual({ engine: "compiled" });
    await socket.last("tune").answer(message(stateWith({}, { engine: "compiled" })));
    room.set({ activation: "relu" });
    expect(socket.last("set").fields.configuration).toMatchObject({ engine: "compiled" });
    room.choose("blobs");
    expect(socket.last("set").fields.configuration).toMatchObject({ dataset: "blobs", engine: "compiled" });
  });

  test("a changed setting keeps the tuned rate and the points added during the run", async () => {
    const changes: Change[] = [
      { step: 1, add: [1, 1, 0] },
      { step: 2, add: [2, 2, 1] },
      { step: 3, undo: true },
    ];
    const room = await open(stateWith({}, { lr: 0.5, changes }));
    room.set({ activation: "relu" });
    expect(socket.last("set").fields.configuration).toMatchObject({ activation: "relu", lr: 0.5, points: [[1, 1, 0]] });
  });

  test("a snapshot of an older run is ignored, one of a newer run waits for its state", async () => {
    const room = await open();
    const snapshot = { event: "snapshot", playing: false, warnings: [] };
    socket.push("train", { ...snapshot, run: 0, step: 99 });
    expect(room.snapshot.value).toBeNull();
    room.set({ seed: 1 });
    socket.push("train", { ...snapshot, run: 2, step: 1 });
    expect(room.snapshot.value).toBeNull();
    await socket.last("set").answer(message(stateWith({ seed: 1 }, { run: 2 })));
    expect(room.snapshot.value?.step).toBe(1);
  });

  test("an epoch is over when its last snapshot arrives before the answer to the command", async () => {
    const room = await open();
    const snapshot = { event: "snapshot", warnings: [], run: 1 };
    void room.epoch();
    socket.push("train", { ...snapshot, playing: false, step: 4 });
    await socket.last("epoch").answer({ until: 4 });
    expect(room.playing.value).toBe(false);
    void room.epoch();
    await socket.last("epoch").answer({ until: 8 });
    expect(room.playing.value).toBe(true);
    socket.push("train", { ...snapshot, playing: false, step: 8 });
    expect(room.playing.value).toBe(false);
  });

  test("the selected case is in the address, and an address selects its case", async () => {
    const room = await open();
    const { stateOf } = await import("../../src/shared/fragment");
    room.selectCase(1);
    expect(Object.fromEntries(stateOf("train"))).toEqual({ data: "xor", case: "2" });
    visit("#train?data=xor&case=1");
    dispatchEvent(new Event("hashchange"));
    await socket.last("set").answer(message(stateWith({}, { run: 2 })));
    expect(room.selectedCase.value).toBe(0);
    visit("#train?data=xor&case=3");
    dispatchEvent(new Event("hashchange"));
    await socket.last("set").answer(message(stateWith({}, { run: 3 })));
    expect(room.selectedCase.value).toBeNull();
    expect(room.error.value).toBe("case 3 does not exist; there are 2 cases, counted from 1");
  });

  test("an error is shown until the next request succeeds", async () => {
    const room = await open();
    void room.step();
    await socket.last("step").fail(new Error("there are no samples"));
    expect(room.error.value).toBe("there are no samples");
    void room.step();
    await socket.last("step").answer({});
    expect(room.error.value).toBe("");
  });

  describe("computes from the weights", () => {
    // The score is x1 - 2·x2 + 0.5.
    const linear = { hidden: [], loss: "mse" };
    const snapshot = (fields: object = {}) => ({
      event: "snapshot",
      run: 1,
      step: 3,
      playing: false,
      warnings: [],
      weights: [{ w: [[1, -2]], b: [0.5] }],
      ...fields,
    });

    test("the outputs at the point under the pointer, at each step", async () => {
      const room = await open(stateWith(linear));
      const before = socket.requests.length;
      room.probePoint.value = [2, 1];
      expect(room.probe.value).toBeNull();
      socket.push("train", snapshot());
      expect(room.probe.value).toEqual({ x1: 2, x2: 1, layers: [[2, 1], [0.5]], label: 1 });
      socket.push("train", snapshot({ weights: [{ w: [[1, -2]], b: [-0.5] }] }));
      expect(room.probe.value).toMatchObject({ layers: [[2, 1], [-0.5]], label: 0 });
      room.probePoint.value = null;
      expect(room.probe.value).toBeNull();
      expect(socket.requests).toHaveLength(before);
    });

    test("the maps of all neurons, larger after training", async () => {
      const room = await open(stateWith(linear));
      socket.push("train", snapshot({ playing: true }));
      expect(room.maps.value?.size).toBe(72);
      socket.push("train", snapshot());
      expect(room.maps.value?.size).toBe(144);
      expect(room.maps.value?.tiles.map((layer) => layer.length)).toEqual([2, 1]);
      expect(room.focusMap.value).toBeNull();
      room.focus.value = { layer: 1, neuron: 0 };
      const half = 1.5 / 144; // the outermost points are half a cell inside the plane from -1 to 2
      expect(room.focusMap.value?.min).toBeCloseTo(-4.5 + 3 * half, 12);
      expect(room.focusMap.value?.max).toBeCloseTo(4.5 - 3 * half, 12);
    });

    test("nothing from the weights of an earlier run", async () => {
      const room = await open(stateWith(linear));
      socket.push("train", snapshot());
      room.probePoint.value = [2, 1];
      room.set({ hidden: [4] });
      await socket.last("set").answer(message(stateWith({}, { run: 2 })));
      expect(room.maps.value).toBeNull();
      expect(room.probePoint.value).toBeNull();
      expect(room.cases.value).toEqual([]);
    });

    test("no map without a plane, but the table of cases", async () => {
      const samples = [{ inputs: [1, 2, 3], label: 1, target: 1, is_test: false }];
      const network = { activations: ["linear"], mean: [0, 0, 1], spread: [1, 2, 1] };
      const room = await open(stateWith(linear, { is_plane: false, cases: 1, samples, network }));
      socket.push("train", snapshot({ weights: [{ w: [[1, 1, 1]], b: [0] }] }));
      expect(room.maps.value).toBeNull();
      expect(room.cases.value).toEqual([{ layers: [[1, 1, 2], [4]], output: [4], isCorrect: true }]);
    });

    test("the outputs for each case: raw, or as probabilities", async () => {
      const room = await open(stateWith(linear));
      socket.push("train", snapshot());
      expect(room.cases.value).toEqual([
        { layers: [[0, 0], [0.5]], output: [0.5], isCorrect: false },
        { layers: [[0, 1], [-1.5]], output: [-1.5], isCorrect: false },
      ]);
      const loss = { ...linear, loss: "binary_cross_entropy_with_logits" };
      room.set(loss);
      await socket.last("set").answer(message(stateWith(loss, { run: 2, is_probability: true })));
      socket.push("train", snapshot({ run: 2, weights: [{ w: [[0, Math.log(3)]], b: [0] }] }));
      expect(room.cases.value.map(({ output, isCorrect }) => [output[0]!.toFixed(12), isCorrect])).toEqual([
        ["0.500000000000", true],
        ["0.750000000000", true],
      ]);
    });
  });

  test("a file that is too large is not read", async () => {
    const room = await open();
    await room.loadFile(new File(["1".repeat(100_001)], "big.csv"));
    expect(room.error.value).toBe("big.csv has 100,001 bytes; the limit is 100,000");
    expect(socket.last("csv")).toBeUndefined();
  });

  test("after a reconnection the run of the address is restored", async () => {
    await open();
    const { saveState } = await import("../../src/shared/fragment");
    saveState("train", { data: "xor", steps: 12 });
    socket.restores[0]!();
    expect(socket.last("set").fields).toMatchObject({ configuration: { dataset: "xor" }, steps: 12, playing: false });
  });

  test("a sample opens in Explore with its run in the address", async () => {
    const room = await open();
    void room.exploreSample(1);
    await socket.last("sample").answer({ scene: { nodes: [], root: 0, steps: [], inputs: [] }, of: "loss", step: 7 });
    const fragment = await import("../../src/shared/fragment");
    expect(fragment.room.value).toBe("explore");
    expect(Object.fromEntries(fragment.stateOf("explore"))).toMatchObject({
      sample: "1",
      of: "loss",
      data: "xor",
      steps: "7",
    });
  });
});
