import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { aliasesIn, splitWords } from "../config/aliases.ts";
import { folders, readConfig } from "../config/index.ts";
import type { World } from "../context/context.ts";
import { UsageError } from "../errors.ts";
import { findCommand } from "./find.ts";

/**
 * The arguments of an unknown command with the alias replaced by its words, which are not replaced again.
 * @returns undefined if the command is not an alias
 */
export function withoutAlias(
  args: readonly string[],
  world: Pick<World, "env" | "platform" | "home">,
): readonly string[] | undefined {
  const noun = findCommand(args).noun ?? "";
  const { config } = readConfig(folders(world.env, world.platform, world.home).config);
  const words = aliasesIn(config).get(noun);
  if (words === undefined) return undefined;
  const at = args.indexOf(noun);
  return [...args.slice(0, at), ...splitWords(words), ...args.slice(at + 1)];
}

/** The program `deckhand-<name>` on the PATH that the first argument means; undefined if there is none. */
export function externalProgram(args: readonly string[], world: World): string | undefined {
  const [name = ""] = args;
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(name)) return undefined;
  return (world.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, `deckhand-${name}`))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Runs a program on the streams of this process.
 *
 * @returns its exit code
 * @throws UsageError if it cannot be started, a script without its interpreter for example
 */
export async function runExternal(
  path: string,
  args: readonly string[],
  { env, signal }: World,
): Promise<number> {
  const child = spawn(path, [...args], { stdio: "inherit", env: { ...env } });
  signal.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  return new Promise((resolve, reject) => {
    child.on("error", (cause) =>
      reject(new UsageError(`${path} cannot be run: ${cause.message}`, { cause })),
    );
    child.on("close", (code) => resolve(code ?? 1));
  });
}
