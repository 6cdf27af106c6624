import type { World } from "./context.ts";

/** Whether screens can be shown: scripts, automation and screen readers get text instead. */
export function hasScreen({ stdin, stdout, env }: Pick<World, "stdin" | "stdout" | "env">): boolean {
  const isOn = (value = "") => !["", "false", "0"].includes(value);
  if (stdout.isTTY !== true || env["TERM"] === "dumb" || isOn(env["CI"]) || isOn(env["INK_SCREEN_READER"]))
    return false;
  return stdin.isTTY === true;
}
