import { cpSync, readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { defineConfig, type Plugin } from "rolldown";

const native = ["jq-wasm", "sharp", "@open-spaced-repetition/binding"];
const screen = resolve("src/terminal/painter.tsx");

/**
 * Three chunks, each of which adds to the one before: what help loads, what completion and most commands load, and what
 * reaching an account loads.
 */
const program = staticImports(["src/cli/program.ts", "src/cli/help/group.ts", "src/output/stream.ts"]);
const described = staticImports([
  "src/cli/completion/complete.ts",
  // Small, and what commands import: they must not make completion load the core.
  "src/commands/shared/command.ts",
  "src/commands/shared/items.ts",
]);
const core = staticImports(["src/context/start.ts", "src/context/connect.ts"]);

/** The local service, but for what it loads on first use. */
const service = new Set(
  [...staticImports(["src/service/app.ts"])].filter((file) => file.startsWith(resolve("src/service"))),
);

/** These files and all that they import, but for what they import dynamically and for types. */
function staticImports(entries: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (file: string) => {
    if (found.has(file)) return;
    found.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, specifier = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "(\..+?)";/gms))
      visit(resolve(dirname(file), specifier));
  };
  for (const entry of entries) visit(resolve(entry));
  // Asking for the version must not load the rest.
  found.delete(resolve("src/version.ts"));
  found.delete(resolve("package.json"));
  return found;
}

const sqlite = "node_modules/@photostructure/sqlite";
const notices = new Map([[resolve(sqlite), noticeOf(sqlite)]]);

/** Keeps the licences of the packages that a build took in, and writes them beside it. */
function thirdPartyNotices(): Plugin {
  return {
    name: "third-party-notices",
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle))
        for (const id of chunk.type === "chunk" ? chunk.moduleIds : []) {
          const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll("\\", "/"))?.[0];
          if (folder !== undefined && !notices.has(folder)) notices.set(folder, noticeOf(folder));
        }
      const source = [...new Set(notices.values())].sort().join(`\n${"-".repeat(80)}\n\n`);
      this.emitFile({ type: "asset", fileName: "third-party-notices.txt", source });
    },
  };
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? "" : readFileSync(`${folder}/${file}`, "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/**
 * Three builds: everything as CommonJS, which Node starts fastest, split at each dynamic import so that only the command
 * that runs is loaded; the review screen as an ES module, because Ink is one; and the script of the study page.
 */
export default defineConfig([
  {
    input: { main: "src/main.ts" },
    preserveEntrySignatures: "allow-extension",
    platform: "node",
    // transit-js is compiled by the Closure compiler, whose helpers name eval without needing it.
    // Some modules are imported on demand by one module and statically by another: they share a chunk on purpose.
    checks: { eval: false, pluginTimings: false, ineffectiveDynamicImport: false },
    external: [/^node:/, ...native],
    // One copy of it, for the study page and for terminals, which load it with the first formula.
    resolve: { alias: { temml: resolve("node_modules/temml/dist/temml.cjs") } },
    plugins: [
      thirdPartyNotices(),
      {
        // SQLite for Nodes without it: only its binaries, as the package has an install script (src/sqlite.ts).
        name: "sqlite",
        writeBundle: () => cpSync(`${sqlite}/prebuilds`, "dist/sqlite", { recursive: true }),
      },
      {
        // The program of a thread (src/output/jq.ts).
        name: "jq-thread",
        generateBundle() {
          const source = readFileSync("src/output/jq-thread.cjs", "utf8");
          this.emitFile({ type: "asset", fileName: "chunks/jq-thread.cjs", source });
        },
      },
      {
        name: "review-screen",
        resolveId: {
          filter: { id: /\/painter\.tsx$/ },
          async handler(id, importer) {
            const found = await this.resolve(id, importer, { skipSelf: true });
            return found?.id === screen ? { id: resolve("dist/review.mjs"), external: "relative" } : found;
          },
        },
      },
    ],
    output: {
      dir: "dist",
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "chunks/[name]-[hash].cjs",
      // Reading costs time; the names of functions and classes stay, for stack traces.
      minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
      codeSplitting: {
        // As one file each: opening thirty small ones takes longer than reading them.
        includeDependenciesRecursively: false,
        groups: [
          {
            name: "program",
            priority: 3,
            test: (id) => program.has(id) || id.includes("/node_modules/commander/"),
          },
          { name: "described", priority: 2, test: (id) => described.has(id) },
          { name: "core", priority: 1, test: (id) => core.has(id) },
          {
            name: "service",
            test: (id) =>
              service.has(id) || (id.includes("/node_modules/kysely/") && !id.includes("/dialect/postgres/")),
          },
        ],
      },
    },
  },
  {
    // The script of the study page: of the terminal's session only what it uses, and nothing of Node.
    input: { page: "src/study/script/main.ts" },
    platform: "browser",
    external: [/^node:/],
    treeshake: { moduleSideEffects: false },
    plugins: [
      {
        name: "study-assets",
        writeBundle: () => cpSync("src/study/assets", "dist/study", { recursive: true }),
      },
    ],
    output: { dir: "dist/study", format: "iife", entryFileNames: "[name].js", minify: true },
  },
  {
    input: { review: "src/terminal/painter.tsx" },
    platform: "node",
    external: [/^node:/],
    // React's development build checks more and is slower; Ink's link to React's developer tools is left out.
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    plugins: [
      thirdPartyNotices(),
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
