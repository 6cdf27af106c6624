import { join } from "node:path";
import { rolldown } from "rolldown";

/**
 * Bundles a source file into a folder as one module, for a child process that a test kills or limits. What loads the
 * local service has to be CommonJS.
 */
export async function bundle(entry: string, folder: string, format: "esm" | "cjs" = "esm"): Promise<string> {
  const file = join(folder, format === "esm" ? "bundle.mjs" : "bundle.cjs");
  const build = await rolldown({
    input: entry,
    platform: "node",
    external: [/^node:/],
    // From there the wrapper of SQLite looks for the drop-in's binary.
    transform: { define: { __dirname: JSON.stringify(process.cwd()) } },
    // transit-js is compiled by the Closure compiler, whose helpers name eval without needing it.
    checks: { eval: false },
  });
  await build.write({ file, format, codeSplitting: false });
  await build.close();
  return file;
}
