// Starts Python in a worker: Pyodide, and the sources of adjoint.
//
// Pyodide needs 'wasm-unsafe-eval' in the Content-Security-Policy of the worker's own response, and nothing else beyond
// 'self': it evaluates no strings as JavaScript. The meta element of the page does not apply to workers.
import type { PyodideInterface } from "pyodide";
import { TAPE } from "../rules/tape";

/** The bytes of Pyodide that are downloaded through fetch(), and as they are transferred, gzipped; from vite.config.js. */
declare const PYTHON_BYTES: number;
declare const PYTHON_TRANSFER: number;

const ENGINE = new URL("../engine/", self.location.href);
const SOURCES = "/adjoint"; // where the sources of adjoint are unpacked

export type Report = (text: string, percent?: number) => void;

/** An error whose text is a sentence for the reader. */
class StartError extends Error {}

/** What the reader is told about an error of Python. */
export function startError(error: unknown): string {
  return error instanceof StartError ? error.message : messageOf(error);
}

/** Download and start Python with adjoint. */
export async function startPython(report: Report): Promise<PyodideInterface> {
  if (typeof WebAssembly !== "object")
    throw new StartError(
      "This browser cannot run Python, because WebAssembly is turned off. Turn it on, or use another browser.",
    );
  const sources = download("adjoint.tar.gz");
  sources.catch(() => undefined); // reported below, where it is awaited
  const wheels = download("wheels.json");
  wheels.catch(() => undefined);
  const python = await loadPyodide(report);
  python.registerJsModule("adjoint_tape", TAPE); // compiled numbers run in JavaScript: see compile/numbers/page_programs.py
  report("Loading adjoint", 95);
  python.unpackArchive(await (await sources).arrayBuffer(), "gztar", { extractDir: SOURCES });
  python.globals.get("__import__")("sys").path.append(SOURCES);
  const names = (await (await wheels).json()) as string[];
  if (names.length > 0) await python.loadPackage(names.map((name) => new URL(name, ENGINE).href));
  return python;
}

async function loadPyodide(report: Report): Promise<PyodideInterface> {
  report("Loading Python", 0);
  const { restore, broken } = countDownloads(report);
  try {
    const { loadPyodide } = (await import(/* @vite-ignore */ new URL("pyodide.mjs", ENGINE).href)) as {
      loadPyodide: typeof import("pyodide").loadPyodide;
    };
    // Without its WebAssembly, loadPyodide() logs a warning and waits forever.
    return await Promise.race([loadPyodide({ indexURL: ENGINE.href }), broken]);
  } catch (error) {
    throw new StartError(`Python could not be started (${messageOf(error)}). ${ADVICE}`);
  } finally {
    restore();
  }
}

const ADVICE = "Check the network connection, then reload the page.";

async function download(name: string): Promise<Response> {
  try {
    const response = await fetch(new URL(name, ENGINE));
    if (response.ok) return response;
    throw new Error(`HTTP status ${response.status}`);
  } catch (error) {
    throw new StartError(`${name} could not be downloaded (${messageOf(error)}). ${ADVICE}`);
  }
}

/** Report the progress of the downloads that Pyodide makes until `restore` is called. `broken` rejects if one fails. */
function countDownloads(report: Report): { restore: () => void; broken: Promise<never> } {
  const original = self.fetch;
  let reject: (reason: unknown) => void;
  const broken = new Promise<never>((_, fail) => {
    reject = fail;
  });
  broken.catch(() => undefined); // nobody may be waiting for it any more
  let received = 0;
  let reported = 0;
  const count = (bytes: Uint8Array) => {
    received += bytes.length;
    const percent = Math.min(100, Math.floor((100 * received) / PYTHON_BYTES));
    const [now, all] = [percent / 100, 1].map((share) => ((share * PYTHON_TRANSFER) / 1e6).toFixed(1));
    const text = percent < 100 ? `Loading Python, ${now} of ${all} MB` : "Starting Python";
    if (percent > reported) report(text, 0.85 * percent); // starting Python and loading adjoint is the rest
    reported = percent;
  };
  const counted = (body: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    const reader = body.getReader();
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          count(value);
          controller.enqueue(value);
        } catch (error) {
          reject(error);
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
  };
  self.fetch = async (...request) => {
    try {
      const response = await original(...request);
      if (!response.ok) throw new Error(`HTTP status ${response.status}`);
      return response.body ? new Response(counted(response.body), response) : response;
    } catch (error) {
      reject(error);
      throw error;
    }
  };
  const restore = () => {
    self.fetch = original;
  };
  return { restore, broken };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.trim().split("\n").at(-1)! : String(error);
}
