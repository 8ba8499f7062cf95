// The worker in which the rooms of the static site run: Python, and the messages of the page.
import type { FromEngine } from "./engine";
import { messageOf, StartError, startPython } from "./python";

const post = (message: FromEngine) => self.postMessage(message);

async function start(): Promise<void> {
  const python = await startPython((text, percent) => post({ kind: "progress", text, percent }));
  const { Host } = python.pyimport("adjoint.lab.page.host");
  const host = Host(post);
  self.onmessage = ({ data }: MessageEvent<string>) => {
    try {
      host.receive(data);
    } catch (error) {
      post({ kind: "failure", text: messageOf(error) });
    }
  };
  post({ kind: "ready" });
}

start().catch((error) => {
  const text = error instanceof StartError ? error.message : `adjoint could not be loaded (${messageOf(error)}).`;
  post({ kind: "failure", text });
});
