import { join } from "node:path";
import { rolldown } from "rolldown";

/** Bundles a source file into a folder as one ES module, for a child process that a test kills or limits. */
export async function bundle(entry: string, folder: string): Promise<string> {
  const file = join(folder, "bundle.mjs");
  const build = await rolldown({ input: entry, platform: "node", external: [/^node:/] });
  await build.write({ file, format: "esm", codeSplitting: false });
  await build.close();
  return file;
}
