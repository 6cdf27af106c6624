import { createHash } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { accountHash } from "../../config/account-hash.ts";
import { makeFolder } from "../../config/folders.ts";
import type { Context } from "../../context/context.ts";

/** Names the account in use in journals and exports: a journal of one account says nothing about another. */
export function accountName(context: Context): string {
  const account = context.account();
  const name = account.kind === "local" ? resolve(context.folders.data) : accountHash(account);
  return createHash("sha256").update(`${account.kind}\n${name}`).digest("hex").slice(0, 12);
}

/** The journal of the first, second, … import of an input. @param first of the first one, as `journalBeside` names it */
export const numberedJournal = (first: string, number: number): string =>
  number === 1 ? first : first.replace(/\.journal$/, `.${number}.journal`);

/** Where an import keeps its journal: next to what is imported, or where that may not be written in the state folder. */
export function journalBeside(input: string, context: Context): string {
  const path = resolve(input);
  const name = `${basename(path)}.${accountName(context)}.journal`;
  try {
    accessSync(dirname(path), constants.W_OK);
    return join(dirname(path), name);
  } catch {
    const folder = join(context.folders.state, "journals");
    makeFolder(folder);
    const place = createHash("sha256").update(path).digest("hex").slice(0, 12);
    return join(folder, `${place}-${name}`);
  }
}
