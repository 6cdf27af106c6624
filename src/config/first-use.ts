import type { Account } from "./account.ts";

interface FirstUse {
  readonly account: Account;
  /** The config folder. */
  readonly folder: string;
  readonly platform: string;
  /** The data folder, for the line. */
  readonly data: string;
  /** Whether stderr is a terminal. */
  readonly isTerminal: boolean;
  readonly quiet: boolean;
  note(line: string): void;
}

/**
 * Says that the local service is used because nothing is configured (docs/design/cli.md, Profiles): on a terminal once,
 * since the choice is then saved as the default, elsewhere every time.
 */
export async function noteFirstUse(use: FirstUse): Promise<void> {
  if (use.account.kind !== "local" || use.account.chosen || use.quiet) return;
  const line = `No account is configured: your cards are in the local collection, in ${use.data}.`;
  if (!use.isTerminal) return use.note(`${line} To choose it and silence this line: deckhand auth use local`);
  use.note(line);
  try {
    const { chooseProfile } = await import("./profiles.ts");
    await chooseProfile({ folder: use.folder, platform: use.platform }, "local");
  } catch {
    // The folder can't be written: the line is printed again next time.
  }
}
