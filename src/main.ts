import { version } from "../package.json";

/**
 * The program: arguments in, exit code out. The only place that turns errors into exit codes. Only the version is
 * answered here without loading anything else.
 */
export function run(): void {
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
    process.stdout.write(`${version}\n`);
    return;
  }
  void runToEnd(args);
}

async function runToEnd(args: readonly string[]): Promise<void> {
  const { main } = await import("./process.ts");
  process.exitCode = await main(args);
}
