// The second worker of the static site: a Python of its own that checks the programs of the room Learn.
import type { FromCheck } from "./engine";
import { startError, startPython } from "./python";

const post = (message: FromCheck) => self.postMessage(message);

async function start(): Promise<void> {
  const python = await startPython(() => undefined);
  for (const redirect of [python.setStdout, python.setStderr]) {
    const decoder = new TextDecoder();
    const write = (bytes: Uint8Array) => {
      post({ kind: "printed", text: decoder.decode(bytes, { stream: true }) });
      return bytes.length;
    };
    redirect({ write });
  }
  python.setStdin({ stdin: () => null }); // input() raises EOFError
  const { check } = python.pyimport("adjoint_lab.page.learn");
  self.onmessage = ({ data }: MessageEvent<string>) => {
    try {
      post({ kind: "report", text: check(data) });
    } catch (error) {
      const { status } = error as { status?: number };
      post(typeof status === "number" ? { kind: "end", exit: status } : { kind: "end", crash: startError(error) });
    }
  };
  post({ kind: "ready" });
}

start().catch((error) => post({ kind: "failure", text: startError(error) }));
