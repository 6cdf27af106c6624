// Runs a TypeScript file of this repository (node scripts/run.mjs <file> [arguments]): it is bundled first, since the
// oldest Node that deckhand runs on reads no types.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { rolldown } from "rolldown";

const [entry, ...args] = process.argv.slice(2);
const folder = join("node_modules", ".cache", "deckhand");
mkdirSync(folder, { recursive: true });
const file = join(folder, `${basename(entry, ".ts")}.mjs`);
const build = await rolldown({
  input: entry,
  platform: "node",
  external: (id) => id.startsWith("node:") || !/^[./]/.test(id),
  logLevel: "silent",
});
// The program itself is CommonJS: its sources may name what that has.
const banner = `import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
const __dirname = ${JSON.stringify(join(process.cwd(), "dist", "chunks"))};`;
await build.write({ file, format: "esm", codeSplitting: false, banner });
await build.close();
const { status, signal } = spawnSync(process.execPath, [file, ...args], { stdio: "inherit" });
process.exitCode = status ?? (signal ? 1 : 0);
