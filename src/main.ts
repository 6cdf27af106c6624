import { version } from "./version.ts";

/**
 * The program: arguments in, exit code out. The version is answered here without loading anything else, and quick
 * answers matter: shells ask for them.
 */
export function run(): void {
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
    // Whoever has read enough is no failure; a disk that is full is one.
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") process.exitCode = 1;
    });
    process.stdout.write(`${version}\n`);
    return;
  }
  void import("./cli/process.ts").then(({ runProcess }) => runProcess(args));
}
