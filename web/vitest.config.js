// The tests run in happy-dom, apart from the builds in vite.config.js.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: {
      "adjoint-explore": fileURLToPath(new URL("src/explore/index.tsx", import.meta.url)),
      "adjoint-transport": fileURLToPath(new URL("src/shared/transports/websocket.ts", import.meta.url)),
    },
  },
  test: {
    include: ["tests/**/*.test.{ts,tsx}"],
    environment: "happy-dom",
    environmentOptions: { happyDOM: { url: "http://localhost:8000/" } },
    setupFiles: ["tests/setup.ts"],
    restoreMocks: true,
  },
});
