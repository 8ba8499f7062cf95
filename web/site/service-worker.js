// The service worker of the static site: after the first visit, the site works without a network.
//
// The build puts the constant SITE in front: all files with their hashes, and those that the first visit loads. A file is
// stored under its address and its hash. A new version of the site therefore loads only what has changed, and until it is
// activated the old version keeps its own files.

const CACHE = "adjoint-site";
const ROOT = new URL("./", self.location.href);
const TYPES = { js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm", json: "application/json" };

/** What a visitor without a network sees in place of a page that is not stored. */
const NOT_STORED = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not stored</title>
</head>
<body>
<h1>This page is not stored on this device</h1>
<p>There is no network, and pages of the documentation are stored when they are visited. Connect, then reload the page.</p>
<p>The <a href="${ROOT.pathname}">lab and the course</a> work without a network.</p>
</body>
</html>
`;

/** The address under which a file is stored. */
const keyOf = (name) => `${new URL(name, ROOT).href}?sha256=${SITE.files[name]}`;

/** The file of an address, without what follows it; undefined for addresses outside of the site. */
function fileOf(address) {
  const { origin, pathname } = new URL(address);
  if (origin !== ROOT.origin || !pathname.startsWith(ROOT.pathname)) return undefined;
  const name = decodeURIComponent(pathname.slice(ROOT.pathname.length));
  const file = name === "" || name.endsWith("/") ? `${name}index.html` : name;
  return Object.hasOwn(SITE.files, file) ? file : undefined;
}

/** Whether a response is the file of this version, and not an error page or a file of another version. */
async function isFile(response, name) {
  if (!response.ok || response.redirected) return false;
  const digest = await crypto.subtle.digest("SHA-256", await response.clone().arrayBuffer());
  const hash = [...new Uint8Array(digest, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hash === SITE.files[name];
}

async function store(name) {
  const cache = await caches.open(CACHE);
  if (await cache.match(keyOf(name))) return;
  const response = await fetch(new URL(name, ROOT), { cache: "no-cache" });
  if (!(await isFile(response, name))) throw new Error(`${name} is not the file of this version (${response.status})`);
  await cache.put(keyOf(name), withHeaders(response, name));
}

/** The response with the policy of workers on scripts, and with the type that browsers require. It is stored like this. */
function withHeaders(response, name) {
  const headers = new Headers(response.headers);
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
  if (type) headers.set("Content-Type", type);
  if (type === TYPES.js) headers.set("Content-Security-Policy", SITE.workerPolicy);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/** The file from the cache, else from the network. The site also works where files cannot be stored: the disk is full. */
async function respond(request, name) {
  const cache = await caches.open(CACHE).catch(() => undefined);
  const stored = await cache?.match(keyOf(name));
  if (stored) return stored;
  const response = await fetch(request).catch((error) => {
    if (request.mode !== "navigate") throw error;
    const headers = { "Content-Type": "text/html", "Content-Security-Policy": "default-src 'none'" };
    return new Response(NOT_STORED, { status: 503, headers });
  });
  if (!(await isFile(response, name))) return response;
  const file = withHeaders(response, name);
  await cache?.put(keyOf(name), file.clone()).catch(() => undefined);
  return file;
}

self.addEventListener("install", (event) => {
  event.waitUntil(Promise.all(SITE.first.map(store)));
});

self.addEventListener("activate", (event) => {
  const removeOldFiles = async () => {
    const cache = await caches.open(CACHE);
    const current = new Set(Object.keys(SITE.files).map(keyOf));
    await Promise.all((await cache.keys()).filter(({ url }) => !current.has(url)).map((old) => cache.delete(old)));
    await self.clients.claim(); // the page that was open during the first visit works offline, too
  };
  event.waitUntil(removeOldFiles());
});

self.addEventListener("fetch", (event) => {
  const name = event.request.method === "GET" ? fileOf(event.request.url) : undefined;
  if (name !== undefined) event.respondWith(respond(event.request, name));
});

// The page asks for the new version when the reader does.
self.addEventListener("message", ({ data }) => {
  if (data === "activate") self.skipWaiting();
});
