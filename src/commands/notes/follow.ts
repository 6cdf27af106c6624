import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import type { Origin, OriginRecord } from "../../client/apply/record.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, PartialError, UsageError } from "../../errors.ts";
import { followed, type Reading, readFolder } from "../../notes/reading.ts";
import { visible } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import { DeckTree } from "../../transfer/formats/deck-tree.ts";
import { createDecks as createMissing, deckKey } from "../../transfer/import/decks.ts";
import type { Skipped } from "../../transfer/model.ts";
import type { ImportOptions } from "../import/options.ts";
import { decksThere } from "../import/prepare.ts";
import { withRecord } from "../shared/account.ts";
import { whileLocked, whileOthersCreateNone } from "../shared/names.ts";

interface FollowOptions {
  /** The path of the deck for a folder that is not followed yet; its name if not given. */
  readonly deck?: string | undefined;
  /** So many cards are archived without a question; a tenth of those that there are if not given. */
  readonly maxArchive?: number | undefined;
  /** Whether a folder that is not followed yet needs a yes on a terminal. */
  readonly asks: boolean;
}

/** What a reading came to. */
interface Followed extends Pick<Reading, "files" | "added" | "edited" | "moved" | "back" | "gone"> {
  readonly deck: string;
  readonly skipped: readonly Skipped[];
  readonly failed: number;
}

/**
 * What an argument of `review` and `due` stands for: a deck, or a folder or file of notes, of which is read what changed.
 *
 * @returns the deck as it is named; the id of that of a folder
 */
export async function deckOrFolder(text: string, context: Context): Promise<string> {
  const path = realPath(text);
  const roots = await withRecord(context, async (record) => [...record.bySource(followed)]);
  const root = roots.find(({ key }) => path === key || path.startsWith(key + sep));
  if (!/^\.\.?(?:[\\/]|$)/.test(text)) {
    const id = await deckNamed(text, context);
    if (id === undefined ? root === undefined && !existsSync(path) : id !== root?.id) return text;
  }
  const { deck } = await follow(root?.key ?? path, { asks: true }, context);
  if (root === undefined || root.key === path) return deck;
  const inside = deckPath(root, relative(root.key, path));
  const found = await withRecord(context, async (record) => record.find(root.key, deckKey(inside)));
  if (found === undefined) throw new UsageError(`${text}: there are no cards in it`);
  return found.id;
}

/** As it is on the disk, if it is there. */
export const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : resolve(path));

async function deckNamed(text: string, context: Context): Promise<string | undefined> {
  try {
    return (await (await context.names()).deck(text)).id;
  } catch (error) {
    if (error instanceof DeckhandError && error.code === "not-found") return undefined;
    throw error;
  }
}

/** A folder that is read, or a file. */
interface Following {
  readonly root: string;
  readonly record: OriginRecord;
  readonly options: FollowOptions;
  readonly context: Context;
}

/**
 * Reads what changed in a folder or file of notes, and makes the same of its cards in the account.
 *
 * @throws UsageError where a question is needed and there is no terminal to ask on, or the answer is no: for a folder that
 * is not followed yet, and where more cards than --max-archive are in no file any more
 */
export function follow(path: string, options: FollowOptions, context: Context): Promise<Followed> {
  return withNotes(context, async (record) => {
    const root = realPath(path);
    const self = record.find(followed, root);
    if (self === undefined && !existsSync(root))
      throw new UsageError(`${root}: there is no such file or folder`);
    const skipped: Skipped[] = [];
    const reading = await readFolder(root, record, (each) => skipped.push(each));
    for (const { place, why, failed } of skipped)
      if (failed)
        context.io.warn(
          `${place || root}: ${why}${place === "" ? ": is it mounted?" : ""}; its cards stay as they are`,
        );
    const following = { root, record, options, context };
    const deck = self === undefined ? await begin(reading, following) : (self.note ?? "[]");
    await askToArchive(reading, following);
    const none = { deck: self?.id ?? "", failed: 0 };
    const done = context.options.dryRun ? none : await carryOut(reading, deck, following);
    const { files, added, edited, moved, back, gone } = reading;
    return { files, added, edited, moved, back, gone, ...done, skipped };
  });
}

/** While no other program reads notes of the account: it would write what it knows over this. */
export const withNotes = <T>(context: Context, work: (record: OriginRecord) => Promise<T>): Promise<T> =>
  whileLocked({ name: "notes", doing: "reading notes" }, context, () => withRecord(context, work));

/** Shows what following a folder means, and asks. @returns the names of its deck's path, as JSON */
async function begin(
  { found, files }: Reading,
  { root, record, options, context }: Following,
): Promise<string> {
  const { io } = context;
  const name = basename(root);
  const other = [...record.bySource(followed)].find(({ key }) => key.startsWith(root + sep));
  if (other !== undefined)
    throw new UsageError(`${other.key} is followed already, which is in ${name}`, {
      hint: `\`deckhand notes forget ${other.key}\` ends that.`,
    });
  if (found.length === 0)
    throw new UsageError(`${name}: there are no cards in it`, {
      hint: "A card is Q: and A:, C: with [deletions], front :: back, or a line of ? between its sides.",
    });
  const path = options.deck?.split(/(?<!\\)\//).map((part) => part.replaceAll("\\/", "/")) ?? [
    name.replace(markdown, "") || "Notes",
  ];
  const withCards = new Set(found.map(({ file }) => file)).size;
  const label = options.deck ?? path.join("");
  const what = `${count(found.length, "card")} in ${withCards} of ${count(files, "file")}`;
  const there = (await deckNamed(label, context)) === undefined ? "" : ", which is there already";
  io.note(`${root}: ${what}, for the deck ${label}${there}`);
  if (!options.asks || context.options.yes) return JSON.stringify(path);
  if (!io.interactive)
    throw new UsageError(`${name} is a folder that is not followed yet; nothing was read`, {
      hint: `To learn from its files: deckhand import ${name} --follow`,
    });
  await io.confirm(
    "Learn from these files? They stay as they are; each review of this folder reads what changed.",
    "nothing was read",
  );
  return JSON.stringify(path);
}

async function askToArchive({ gone }: Reading, { root, record, options, context }: Following): Promise<void> {
  if (gone === 0) return;
  const before = [...record.bySource(root, "card ")].length;
  if (gone <= (options.maxArchive ?? Math.max(1, before / 10))) return;
  const question = `${gone} of ${count(before, "card")} are in no file of ${root} any more. Archive them?`;
  await context.io.confirm(question, "nothing was changed");
}

/** @returns the id of the deck, and how many cards failed */
async function carryOut(reading: Reading, deck: string, following: Following) {
  const { root, record, context } = following;
  const known = { note: deck, written: new Date(context.clock.now()).toISOString(), key: root };
  const created =
    reading.found.length === 0 ? new Set<string>() : await createDecks(reading, known, following);
  const deckOf = (file: string) => record.find(root, deckKey(deckPath(known, file)))?.id;
  const id = deckOf("") ?? record.find(followed, root)?.id ?? "";
  reading.write({ ...known, id });
  const self = record.find(followed, root);
  const done = { deck: id, failed: 0 };
  if (self === undefined || self.done) return done;
  const rows = ["card ", "gone "].flatMap((prefix) =>
    [...record.bySource(root, prefix)].filter((row) => !row.done),
  );
  const notes = await import("../../notes/carry-out.ts");
  const status = await context.io.status();
  const task = status.begin({ label: "Reading notes", unit: "items", total: rows.length });
  try {
    await notes.carryOut(rows, {
      ...{ client: await context.client(), signal: context.signal, record },
      deckOf: (file) => deckOf(file) ?? id,
      ...{ emptyDecks: created, fresh: reading.fresh, now: context.clock.now() },
      failed: (error) => {
        done.failed++;
        context.io.report(error);
      },
      progress: () => task.advance(),
    });
  } finally {
    task.end();
  }
  if (done.failed === 0) record.put([{ ...self, done: true }]);
  return done;
}

/** Creates the decks that are missing. @returns their ids */
async function createDecks(
  { found }: Reading,
  known: Pick<Origin, "key" | "note">,
  { root, record, context }: Following,
): Promise<Set<string>> {
  const tree = new DeckTree((path) => JSON.parse(path));
  for (const file of new Set(found.map((card) => card.file))) tree.add(deckPath(known, file), file);
  const source = { decks: tree.decks };
  const origins = { record, origin: root };
  const there = new Set<string>();
  const summary = { decks: 0 };
  const target = {
    ...{ client: await context.client(), signal: context.signal, deck: undefined },
    ...{ ...origins, undo: { note: () => {} }, skip: () => {} },
    withDecks: (create: (there: ReadonlyMap<string, string>) => Promise<void>) =>
      whileOthersCreateNone(context, async () => {
        const ids = await decksThere({ source }, origins, undefined, context);
        for (const id of ids.values()) there.add(id);
        await create(ids);
      }),
  };
  const ids = await createMissing(source, target, summary);
  const row = { source: root, done: true, archived: false };
  record.put([...ids].map(([key, id]) => ({ ...row, key: deckKey(key), id })));
  if (summary.decks > 0) await (await context.names()).decks({ now: true });
  return new Set([...ids.values()].filter((id) => !there.has(id)));
}

const markdown = /\.(?:md|markdown)$/i;

/** The key of the deck of a file or folder: the names of its path. */
function deckPath({ key, note = "[]" }: Pick<Origin, "key" | "note">, file: string): string {
  const isAll = file === "" || resolve(dirname(key), file) === key;
  const names = isAll ? [] : file.replace(markdown, "").split(/[\\/]/);
  return JSON.stringify([...JSON.parse(note), ...names]);
}

/** How many cards changed, and how. */
const changes = ({ added, edited, moved, back, gone }: Followed) => ({
  ...{ new: added, edited, moved, returned: back, archived: gone },
});

export function sentence(done: Followed): string {
  const changed = Object.entries(changes(done))
    .filter(([, number]) => number > 0)
    .map(([what, number]) => `${number} ${what}`);
  return changed.length === 0 ? "Nothing changed" : `Cards: ${changed.join(", ")}`;
}

/** `import --follow`. @throws PartialError where something failed, or could not be read */
export async function importFollowed(path: string, options: ImportOptions, context: Context): Promise<void> {
  if (options.follow !== true) throw new UsageError("--max-archive goes with --follow only");
  if (path === "-") throw new UsageError("--follow goes with a folder or a file");
  const idle = (["deckId", "format", "template", "update", "overwrite", "duplicate"] as const).find(
    (name) => options[name] !== undefined,
  );
  if (idle !== undefined) throw new UsageError("--follow goes with --deck, --max-archive and --ask only");
  const { deck: named, maxArchive, ask = false } = options;
  const done = await follow(path, { deck: named, maxArchive, asks: ask }, context);
  for (const { place, what, why, failed } of done.skipped)
    if (!failed) context.io.note(visible(`left: ${place}: ${what}: ${why}`));
  const { skipped, files, deck } = done;
  if (context.print.json) await context.print.value({ files, deck, ...changes(done), failed: done.failed });
  else context.io.note(sentence(done));
  const failed = done.failed + skipped.filter((each) => each.failed).length;
  if (failed > 0) throw new PartialError(`${count(failed, "item")} failed`);
}
