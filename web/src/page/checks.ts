// Runs the programs of the room Learn in a second worker, which can be terminated. Python calls it (page/learn.py).
import type { FromCheck } from "./engine";

/** What Python receives: the report of a check, or why there is none. */
interface Answer {
  report: string | null;
  printed: string;
  late?: boolean;
  exit?: number;
  crash?: string;
}

interface Run {
  printed: string;
  isSent: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  resolve: (answer: string) => void;
  reject: (error: Error) => void;
}

const MAX_PRINTED = 80_000; // characters; Python cuts the text to what it shows

export class Checks {
  #create: () => Worker;
  #worker: Worker | undefined;
  #isReady = false;
  #current: Run | undefined;
  /** Sends the program that waits for Python. */
  #send: (() => void) | undefined;

  constructor(create: () => Worker) {
    this.#create = create;
  }

  /** Start Python, so that the next check does not wait for it. */
  prepare(): void {
    if (this.#worker) return;
    const worker = this.#create();
    this.#worker = worker;
    this.#isReady = false;
    worker.onmessage = ({ data }: MessageEvent<FromCheck>) => {
      if (data.kind === "ready") {
        this.#isReady = true;
        this.#send?.();
      } else if (data.kind === "printed") this.#print(data.text);
      else if (data.kind === "failure") this.#fail(data.text);
      else if (data.kind === "report") {
        if ((JSON.parse(data.text) as { changed: boolean }).changed) this.#restart();
        this.#finish({ report: data.text });
      } else {
        this.#restart();
        this.#finish({ report: null, exit: data.exit, crash: data.crash });
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(event.message || "the worker for your program could not be loaded");
    };
  }

  /** Check the program of a request. There is one at a time. */
  run(request: string, seconds: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const run: Run = { printed: "", isSent: false, timer: undefined, resolve, reject };
      this.#current = run;
      this.#send = () => {
        this.#send = undefined;
        run.isSent = true;
        run.timer = setTimeout(() => {
          this.#restart();
          this.#finish({ report: null, late: true });
        }, 1000 * seconds);
        this.#worker?.postMessage(request);
      };
      this.prepare();
      if (this.#isReady) this.#send();
    });
  }

  /** End the program that runs, or that waits for Python to start. */
  kill(): void {
    if (this.#current?.isSent) this.#restart();
    this.#send = undefined;
    this.#finish({ report: null });
  }

  #restart(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.prepare();
  }

  #print(text: string): void {
    const run = this.#current;
    if (run && run.printed.length < MAX_PRINTED) run.printed += text;
  }

  #finish(answer: Omit<Answer, "printed">): void {
    const run = this.#current;
    this.#current = undefined;
    clearTimeout(run?.timer);
    run?.resolve(JSON.stringify({ ...answer, printed: run.printed }));
  }

  /** Python could not be started; the next check tries again. */
  #fail(text: string): void {
    const run = this.#current;
    this.#worker?.terminate();
    this.#worker = this.#current = this.#send = undefined;
    clearTimeout(run?.timer);
    run?.reject(new Error(text));
  }
}
