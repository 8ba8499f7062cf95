// The settings of the training run.
import { Choice, Rate } from "./fields";
import { choices, set, state, tune } from "./room";

const LOSSES: Record<string, string> = {
  hinge: "hinge",
  binary_cross_entropy_with_logits: "binary cross-entropy",
  mse: "mean squared error",
  sse: "sum of squared errors",
  cross_entropy: "cross-entropy",
};
const OPTIMIZERS: Record<string, string> = {
  sgd: "SGD",
  adam: "Adam",
  adamw: "AdamW",
  rmsprop: "RMSprop",
  adagrad: "Adagrad",
  lion: "Lion",
  nadam: "NAdam",
  radam: "RAdam",
  adamax: "Adamax",
  adadelta: "Adadelta",
  rprop: "Rprop",
};
const INITIALIZATIONS: Record<string, string> = { scaled: "scaled by inputs", uniform: "from −1 to 1" };
const RATES = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const BATCHES = [1, 2, 4, 8, 16, 32, 64, 128];
const DECAYS = [0, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1];

export function Settings() {
  const { activations, outputs, initializations, losses, optimizers, engines, missing_engine } = choices.value!;
  const { configuration: now, lr, l2, engine } = state.value!;
  const sizes = [...new Set([...BATCHES, ...(now.batch_size ? [now.batch_size] : [])])].sort((a, b) => a - b);
  const known = (names: string[], shown: Record<string, string>) =>
    names.map((name): [string, string] => [name, shown[name] ?? name]);
  const decays = [...new Set([...DECAYS, l2])]
    .sort((a, b) => a - b)
    .map((x): [string, string] => [String(x), x ? String(x) : "none"]);
  return (
    <section class="card settings" aria-label="Settings">
      <div class="fields">
        <Choice
          label="Activation"
          value={now.activation}
          options={activations}
          onChange={(activation) => set({ activation })}
        />
        <Choice label="Output activation" value={now.output} options={outputs} onChange={(output) => set({ output })} />
        <Choice
          label="Initial weights"
          value={now.init}
          options={known(initializations, INITIALIZATIONS)}
          onChange={(init) => set({ init })}
        />
        <Choice
          label="Loss"
          value={now.loss}
          options={known(losses[now.classes === 2 ? "two" : "more"], LOSSES)}
          onChange={(loss) => set({ loss })}
        />
        <Choice
          label="Optimizer"
          value={now.optimizer}
          options={known(optimizers, OPTIMIZERS)}
          onChange={(optimizer) => set({ optimizer })}
        />
        <Rate label="Learning rate" value={lr} usual={RATES} min={1e-9} onChange={(rate) => void tune({ lr: rate })} />
        <Choice
          label="Batch size"
          value={String(now.batch_size ?? "all")}
          options={[...sizes.map(String), ["all", "all samples"]]}
          onChange={(size) => set({ batch_size: size === "all" ? null : Number(size) })}
        />
        <Choice label="L2 penalty" value={String(l2)} options={decays} onChange={(x) => void tune({ l2: Number(x) })} />
        <Choice label="Engine" value={engine} options={engines} onChange={(name) => void tune({ engine: name })} />
      </div>
      {missing_engine && <p class="small soft">{missing_engine}</p>}
    </section>
  );
}
