import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** A program's clock that can be put ahead while it runs. */
export function clockAhead(folder: string) {
  const [hook, file] = [join(folder, "clock.cjs"), join(folder, "ahead")];
  const set = (days: number) => writeFileSync(file, `${days * 86_400_000}`);
  set(0);
  const read = `Number(require("node:fs").readFileSync(${JSON.stringify(file)}, "utf8"))`;
  writeFileSync(hook, `const now = Date.now; Date.now = () => now() + ${read};`);
  return { env: { NODE_OPTIONS: `--require=${hook}` }, set };
}
