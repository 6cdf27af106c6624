import type { Command } from "commander";

/** Whether help and completions leave a command out: Commander lets that be set, but not be asked. */
export const isHidden = (command: Command): boolean =>
  (command as Command & { _hidden?: boolean })._hidden === true;
