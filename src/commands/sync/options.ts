import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { ifThere } from "../../client/if-there.ts";
import type { Client } from "../../client/index.ts";
import { accountHash } from "../../config/account-hash.ts";
import { makeFolder } from "../../config/folders.ts";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { fileProblem } from "../../files/errors.ts";
import { visible } from "../../output/index.ts";
import type { Deck } from "../../schema/index.ts";
import type { FolderAccount } from "../../sync/marker.ts";
import type { SyncOptions } from "../../sync/sync.ts";
import { accountName } from "../shared/account.ts";
import { declare, type LooseOptionsOf, option, wholeNumber } from "../shared/command.ts";
import { deckFrom } from "../shared/names.ts";

/** Begins the declaration of the verbs of `sync`. */
export const declareSync = (text: string) =>
  declare(text)
    .argument("<folder>", "a folder of markdown, as `export` writes it, or any other")
    .option("-d, --deck <deck>", "only this deck and those under it (id, name or path)")
    .option("--deck-id <id>", "the deck by id, not looked up")
    .addOption(option("--prefer <side>", "resolve conflicts with its text").choices(["folder", "service"]))
    .option("--max-delete <n>", "how many cards may be removed (default: 10, or a tenth)", wholeNumber(0))
    .option("--whole-files", "make one card of each new file, also where several are marked in it");

export type SyncCommandOptions = LooseOptionsOf<() => ReturnType<typeof declareSync>>;

export type Prepared = Omit<SyncOptions, "approve" | "step"> & {
  /** Writes `deckhand.yaml`: when something is going to be changed. */
  mark(): void;
};

/**
 * What a sync of that folder needs.
 *
 * @param create whether a folder that is missing is created, here and for the state of syncs; nothing is created in it
 */
export async function prepareSync(
  name: string,
  options: SyncCommandOptions,
  context: Context,
  { create }: { readonly create: boolean },
): Promise<Prepared> {
  const markers = await import("../../sync/marker.ts");
  const { assertNotNested, assertSameAccount, readMarker, settleMarker, writeMarker } = markers;
  assertNotNested(name);
  const root = await folderOf(name, create, options, context);
  const before = readMarker(root);
  const client = await context.client();
  const account = await folderAccount(context, client);
  await assertSameAccount(root, before.account, account, async () =>
    (await client.decks.all()).map(({ id }) => id),
  );
  const deck = await deckFrom(options, context);
  const marker = settleMarker(before, { deck: deck?.id, account });
  const state = join(context.folders.state, "sync");
  if (create) makeFolder(state);
  const key = createHash("sha256")
    .update(JSON.stringify([marker.id, accountName(context), root]))
    .digest("hex");
  return {
    client,
    root,
    statePath: join(state, `${key.slice(0, 16)}.sqlite`),
    scope: marker.deck,
    prefer: options.prefer,
    maxDelete: options.maxDelete,
    wholeFiles: options.wholeFiles,
    decks: () => decksOf(client),
    now: () => context.clock.now(),
    mark: () => writeMarker(root, marker),
  };
}

async function folderAccount(context: Context, client: Client): Promise<FolderAccount> {
  const account = context.account();
  if (account.kind === "local")
    return { service: "local", hash: (await client.service.describe()).store ?? undefined };
  return { service: account.baseUrl, hash: accountHash(account) };
}

/**
 * The real path of the folder, which is created if it is missing and may be. Asks first on a terminal, where the name may be
 * mistyped; a script that names a new folder means it.
 */
async function folderOf(
  name: string,
  create: boolean,
  { deck, deckId }: SyncCommandOptions,
  { io }: Context,
): Promise<string> {
  const found = statSync(name, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) throw new UsageError(`${name} is not a folder`);
  if (found === undefined && !create)
    throw new UsageError(`there is no folder ${name}`, { hint: `\`deckhand sync ${name}\` creates it.` });
  if (found === undefined) {
    const cards = `the cards of ${deck ?? deckId ?? "your collection"}`;
    const question = `There is no folder ${name}. Create it and write ${cards} into it?`;
    if (io.interactive) await io.confirm(visible(question), "nothing was created");
    try {
      mkdirSync(name, { mode: 0o700 });
    } catch (cause) {
      throw new UsageError(`could not create the folder ${name}: ${fileProblem(cause)}`, { cause });
    }
  }
  return realpathSync(name);
}

/** All decks with their parents, which the list of some services does not have. */
async function decksOf(client: Client): Promise<readonly Deck[]> {
  const decks: Deck[] = [];
  for (const { id } of await client.decks.all()) {
    const deck = await ifThere(client.decks.get(id));
    if (deck !== undefined) decks.push(deck);
  }
  return decks;
}
