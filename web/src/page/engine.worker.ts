// The worker in which the rooms of the static site run: Python, and the messages of the page.
import { Checks } from "./checks";
import type { FromEngine } from "./engine";
import { startError, startPython } from "./python";

const post = (message: FromEngine) => self.postMessage(message);

async function start(): Promise<void> {
  const python = await startPython((text, percent) => post({ kind: "progress", text, percent }));
  const checks = new Checks(() => new Worker(new URL("./check.worker.ts", import.meta.url), { type: "module" }));
  const host = python.pyimport("adjoint_lab.page.host").start(post, checks);
  const fail = (error: unknown) => post({ kind: "failure", text: startError(error) });
  self.onmessage = ({ data }: MessageEvent<string>) => {
    try {
      host.receive(data);
    } catch (error) {
      fail(error);
    }
  };
  // Python handles its own exceptions: what gets here has ended it, such as a lack of memory.
  self.onunhandledrejection = ({ reason }) => fail(reason);
  post({ kind: "ready" });
}

start().catch((error) => post({ kind: "failure", text: startError(error) }));
