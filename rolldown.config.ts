import { defineConfig } from "rolldown";

const native = ["@photostructure/sqlite", "jq-wasm"];

/**
 * Two builds: everything as CommonJS, which Node starts fastest, split at each dynamic import so that only the
 * command that runs is loaded; and the review screen as an ES module, because Ink is one.
 */
export default defineConfig([
  {
    input: { main: "src/main.ts" },
    platform: "node",
    external: [/^node:/, ...native, /\.mjs$/],
    output: {
      dir: "dist",
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "chunks/[name]-[hash].cjs",
      minify: "dce-only",
    },
  },
]);
