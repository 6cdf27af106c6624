import type { Account } from "./account.ts";

export interface FirstUse {
  readonly account: Account;
  /** The config folder. */
  readonly folder: string;
  readonly platform: string;
  /** The data folder, for the line. */
  readonly data: string;
  /** Whether a person reads stderr. */
  readonly isTerminal: boolean;
  readonly quiet: boolean;
  note(line: string): void;
}

/**
 * Says once that the local service is used because nothing was configured (cli.md, Profiles): on a terminal the choice is
 * then saved as the default, elsewhere the line comes every time.
 */
export async function noteFirstUse(use: FirstUse): Promise<void> {
  if (use.account.kind !== "local" || use.account.chosen || use.quiet) return;
  use.note(`No account is configured: using the local service, with its data in ${use.data}.`);
  if (!use.isTerminal) return;
  try {
    const { chooseProfile } = await import("./profiles.ts");
    await chooseProfile({ folder: use.folder, platform: use.platform }, "local");
  } catch {
    // A home that can't be written: the line comes again.
  }
}
