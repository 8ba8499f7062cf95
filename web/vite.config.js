// Two builds into the package: explore.js, a single file that notebooks also load, and the page that imports it. The room
// Learn with its editor is a file of its own, learn.js, which the page loads when the room is opened. A third build, `site`,
// is the page of the static site, with names that contain the hash of the content; docs/build_site.py runs it.
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";
import { fingerprint } from "./fingerprint.js";

const assets = fileURLToPath(new URL("../src/adjoint_lab/assets", import.meta.url));
const entry = (path) => fileURLToPath(new URL(path, import.meta.url));
const common = { target: "es2022", outDir: assets, emptyOutDir: false, modulePreload: false, assetsInlineLimit: 0 };

// Copies the static files and writes the fingerprint of the sources, which a test compares with web/.
const staticFiles = {
  name: "static-files",
  closeBundle() {
    for (const name of ["index.html", "icon.svg"]) copyFileSync(entry(name), `${assets}/${name}`);
    writeFileSync(`${assets}/fingerprint.txt`, `${fingerprint(entry("."))}\n`);
  },
};

// What Pyodide downloads through fetch(): the page shows how much of it has arrived.
const downloads = ["pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"].map((name) =>
  entry(`node_modules/pyodide/${name}`),
);
const sum = (sizeOf) => downloads.filter(existsSync).reduce((total, path) => total + sizeOf(path), 0);

const site = {
  root: entry("site"),
  base: "./",
  publicDir: false,
  resolve: {
    preserveSymlinks: true,
    alias: {
      "adjoint-explore": entry("src/explore/index.tsx"),
      "adjoint-transport": entry("src/shared/transports/worker.ts"),
    },
  },
  define: {
    PYTHON_BYTES: sum((path) => statSync(path).size),
    PYTHON_TRANSFER: sum((path) => gzipSync(readFileSync(path)).length),
  },
  worker: { format: "es" },
  build: { target: "es2022", emptyOutDir: true, modulePreload: false, assetsInlineLimit: 0, cssCodeSplit: false },
};

const served = (mode) => ({
  base: "./",
  publicDir: false,
  resolve: {
    preserveSymlinks: true, // the same bytes if node_modules is a link
    alias: { "adjoint-transport": entry("src/shared/transports/websocket.ts") },
  },
  plugins: mode === "page" ? [staticFiles] : [],
  build:
    mode === "explore"
      ? {
          ...common,
          lib: {
            entry: entry("src/explore/index.tsx"),
            formats: ["es"],
            fileName: () => "explore.js",
            cssFileName: "explore",
          },
          minify: true,
        }
      : {
          ...common,
          cssCodeSplit: false,
          rolldownOptions: {
            input: entry("src/shell/main.tsx"),
            external: ["adjoint-explore"],
            output: {
              format: "es",
              entryFileNames: "main.js",
              chunkFileNames: "learn.js",
              assetFileNames: "main[extname]",
              paths: { "adjoint-explore": "./explore.js" },
            },
          },
        },
});

export default defineConfig(({ mode }) => (mode === "site" ? site : served(mode)));
