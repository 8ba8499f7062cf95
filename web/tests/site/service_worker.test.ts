// The service worker, with a cache and a network of the test.
import { expect, test, vi } from "vitest";
import CODE from "../../site/service-worker.js?raw";

const ROOT = "https://example.org/lab/";
const TEXT = "export const x = 1;";
const SITE = {
  files: { "engine/pyodide.mjs": await hashOf(TEXT) },
  first: [],
  workerPolicy: "default-src 'self'",
};

/** The first 64 bits of SHA-256, as the build writes them. */
async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

type Fetch = (request: { method: string; url: string; mode?: string }) => Promise<Response> | undefined;

/** Start the service worker; returns what it answers to a request, undefined if it leaves that to the browser. */
function start(caches: unknown, network: () => Promise<Response> = async () => new Response(TEXT)): Fetch {
  const listeners: Record<string, (event: object) => void> = {};
  const self = {
    location: { href: `${ROOT}service-worker.js` },
    addEventListener: (name: string, listener: (event: object) => void) => {
      listeners[name] = listener;
    },
  };
  const fetch = vi.fn(network);
  new Function("SITE", "self", "caches", "fetch", "crypto", CODE)(SITE, self, caches, fetch, crypto);
  return (request) => {
    let answer: Promise<Response> | undefined;
    listeners.fetch!({ request, respondWith: (given: Promise<Response>) => (answer = given) });
    return answer;
  };
}

const REQUEST = { method: "GET", url: `${ROOT}engine/pyodide.mjs` };

test("a file that cannot be stored comes from the network", async () => {
  const full = {
    match: async () => undefined,
    put: async () => {
      throw new DOMException("no space", "QuotaExceededError");
    },
  };
  const refused = { open: async () => Promise.reject(new DOMException("storage is disabled", "SecurityError")) };
  for (const caches of [{ open: async () => full }, refused]) {
    const response = await start(caches)(REQUEST);
    expect(await response!.text()).toBe(TEXT);
    expect(response!.headers.get("Content-Type")).toBe("text/javascript");
  }
});

test("a file is stored under its hash, also if the request has a query", async () => {
  const stored = new Map<string, Response>();
  const cache = {
    match: async (key: string) => stored.get(key),
    put: async (key: string, response: Response) => void stored.set(key, response),
  };
  const fetch = start({ open: async () => cache });
  await fetch({ ...REQUEST, url: `${REQUEST.url}?time=1` });
  expect([...stored.keys()]).toEqual([`${REQUEST.url}?sha256=${SITE.files["engine/pyodide.mjs"]}`]);
});

test("a page that is neither stored nor reachable says so, and leads to the lab", async () => {
  const empty = { match: async () => undefined };
  const fetch = start({ open: async () => empty }, () => Promise.reject(new TypeError("no network")));
  const response = await fetch({ ...REQUEST, mode: "navigate" });
  expect(response!.status).toBe(503);
  expect(await response!.text()).toContain('<a href="/lab/">lab and the course</a>');
  await expect(fetch({ ...REQUEST, mode: "cors" })).rejects.toThrow("no network");
});

test("the service worker leaves other methods, addresses and origins to the browser", () => {
  const fetch = start({});
  expect(fetch({ ...REQUEST, method: "POST" })).toBeUndefined();
  expect(fetch({ method: "GET", url: "https://example.org/other/engine/pyodide.mjs" })).toBeUndefined();
  expect(fetch({ method: "GET", url: "https://elsewhere.org/lab/engine/pyodide.mjs" })).toBeUndefined();
  expect(fetch({ method: "GET", url: `${ROOT}unknown.txt` })).toBeUndefined();
});
