import { resolve } from "node:path";
import { defineConfig } from "rolldown";

const native = ["@photostructure/sqlite", "jq-wasm"];
const screen = resolve("src/review/screen/index.tsx");

/**
 * Two builds: everything as CommonJS, which Node starts fastest, split at each dynamic import so that only the
 * command that runs is loaded; and the review screen as an ES module, because Ink is one.
 */
export default defineConfig([
  {
    input: { main: "src/main.ts" },
    platform: "node",
    // transit-js is compiled by the Closure compiler, whose helpers name eval without needing it.
    checks: { eval: false },
    external: [/^node:/, ...native],
    plugins: [
      {
        name: "review-screen",
        async resolveId(id, importer) {
          if (!id.endsWith("/screen/index.tsx")) return;
          const found = await this.resolve(id, importer, { skipSelf: true });
          return found?.id === screen ? { id: resolve("dist/review.mjs"), external: "relative" } : found;
        },
      },
    ],
    output: {
      dir: "dist",
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "chunks/[name]-[hash].cjs",
      minify: "dce-only",
    },
  },
  {
    input: { review: "src/review/screen/index.tsx" },
    platform: "node",
    external: [/^node:/],
    // React's development build checks more and is slower; Ink's link to React's developer tools is left out.
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    plugins: [
      {
        name: "no-devtools",
        resolveId: (id) => (id === "react-devtools-core" ? "\0no-devtools" : undefined),
        load: (id) => (id === "\0no-devtools" ? "export default {};" : undefined),
      },
    ],
    output: {
      dir: "dist",
      format: "esm",
      entryFileNames: "[name].mjs",
      codeSplitting: false,
      minify: "dce-only",
    },
  },
]);
