import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import fc from "fast-check";
import { expect } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { filesFolder } from "../../src/folder/layout.ts";
import type { RandomBytes } from "../../src/schema/ids.ts";
import type { Card } from "../../src/schema/index.ts";
import { type Application, openApplication } from "../../src/service/app.ts";
import { seededRandom } from "../support/random.ts";
import { clientOf } from "../transfer/support.ts";
import { type Synced, syncedFolder } from "./support.ts";

/**
 * The promise of a sync: no text is lost, doubled or overwritten unseen. A folder and an account of the real service are
 * edited at random, also in the middle of a sync, before or after any of its effects, where it may end as well. Each edit
 * of a card or of an attachment adds a line that is written once in the world; at the end each must be once on both sides.
 */

/** An edit of a person, on either side. */
export interface Edit {
  readonly side: "folder" | "service";
  readonly kind:
    | "create"
    | "edit"
    | "undo"
    | "remove"
    | "edit and remove"
    | "move"
    | "unname"
    | "rename"
    | "attach";
  /** Chooses a card, and a place in it. */
  readonly pick: number;
  /** Whether it is of the card that the sync is at, else the one that was written last, instead. */
  readonly same: boolean;
}

/** What happens during a sync. */
interface Incident {
  /** The number of the effect; or how its name begins, for the first such effect. */
  readonly at: number | string;
  readonly what: "crash" | "lost answer" | readonly Edit[];
}

export interface Round {
  readonly edits: readonly Edit[];
  readonly machine: number;
  readonly incidents: readonly Incident[];
  /** Whether so much time has passed that files which have not changed are not opened. */
  readonly late: boolean;
  /** Whether it is a sync that watches, where nobody can be asked: it removes nothing, and does the rest. */
  readonly watches: boolean;
}

const kinds = [
  ...(["create", "create", "create", "edit", "edit", "edit", "edit"] as const),
  ...(["remove", "move", "unname", "attach", "attach", "undo", "edit and remove", "rename"] as const),
];

/** A card that was created or edited last is edited again more often than others are. */
export const edit: fc.Arbitrary<Edit> = fc.record({
  side: fc.constantFrom("folder", "service"),
  kind: fc.constantFrom(...kinds),
  pick: fc.nat(1000),
  same: fc.constantFrom(true, true, false),
});

/** Where a sync would lose or double most if a step of it were missing. */
const delicate = [
  ...["create the card", "create the card", "record the card of", "record the card of"],
  ...["compare the card", "update the card", "move", "replace", "record"],
];

const incident: fc.Arbitrary<Incident> = fc.record({
  at: fc.oneof(fc.nat(14), { arbitrary: fc.constantFrom(...delicate), weight: 2 }),
  what: fc.oneof(
    fc.constantFrom("crash" as const, "lost answer" as const),
    fc.array(edit, { minLength: 1, maxLength: 3 }),
  ),
});

export const round: fc.Arbitrary<Round> = fc.record({
  edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
  machine: fc.nat(1),
  incidents: fc.array(incident, { maxLength: 3 }),
  late: fc.boolean(),
  watches: fc.boolean(),
});

/** A round without edits of that kind. */
export function withoutKind(each: Round, kind: Edit["kind"]): Round {
  const keep = (edits: readonly Edit[]) => edits.filter((one) => one.kind !== kind);
  const incidents = each.incidents.map(({ at, what }) => ({
    at,
    what: typeof what === "object" ? keep(what) : what,
  }));
  return { ...each, edits: keep(each.edits), incidents };
}

class Crash extends Error {}

/** All that happened in a run: printed if it fails, since the time that its steps take may not repeat. */
let happened: string[] = [];
function trace(...what: unknown[]): void {
  const line = what.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join(" ");
  happened.push(`${new Date().toISOString().slice(14)} ${line}\n`);
}

const linesIn = (text: string): string[] => text.match(/line \d+\./g) ?? [];

/** The two sides as a person edits them, and all that was ever written. */
export class World {
  readonly #synced: Synced;
  readonly #decks: readonly string[];
  #next = 1;
  /** Lines that were written, and those that somebody removed with their card. */
  readonly written = new Set<string>();
  /** The folders of the decks, and the last names that these were given, by side. */
  readonly #folders = ["A", "B"];
  readonly renamed: { readonly deck: string; readonly side: string; readonly name: string }[] = [];
  /** Whether a sync was completed: that a folder is renamed is known only of one that was synced. */
  isSynced = false;
  /** Lines of edits of cards that were trashed after that, with the id of the card. */
  readonly trashed = new Map<string, string>();
  /** The texts of files before and after their last edits. */
  readonly #edits = new Map<string, { readonly before: string; readonly after: string }>();
  readonly removed = new Set<string>();

  constructor(synced: Synced, decks: readonly string[]) {
    this.#synced = synced;
    this.#decks = decks;
  }

  /** @param effect what the sync was about to do */
  async edit(edit: Edit, effect = ""): Promise<void> {
    trace("edit", edit.side, edit.kind, edit.pick, edit.same ? "the same" : "", "next line", this.#next);
    if (edit.side === "folder") this.#editFile(edit, effect);
    else await this.#editCard(edit, effect);
  }

  /** The file that an effect is about, else the one with the line that was written last. */
  #sameFile(effect: string): string | undefined {
    const files = this.files();
    const about = files.find((path) => effect.includes(path) || effect.includes(this.idOf(path) ?? "?"));
    return about ?? latest(files, (path) => readFileSync(this.#full(path), "utf8"));
  }

  #sameCard(cards: readonly Card[], effect: string): Card | undefined {
    const path = this.files().find((each) => effect.includes(each));
    const id = path === undefined ? undefined : this.idOf(path);
    const about = cards.find((card) => card.id === id || effect.includes(card.id));
    return about ?? latest(cards, ({ content }) => content ?? "");
  }

  #editFile({ kind, pick, same }: Edit, effect: string): void {
    const files = this.files();
    const path = same ? this.#sameFile(effect) : files[pick % Math.max(1, files.length)];
    if (kind === "create" || path === undefined) {
      const file = this.#full(`${this.#folders[pick % 2]}/file ${this.#next}.md`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${this.#line()}\n${this.#line()}\n${this.#line()}\n`);
      return;
    }
    const beside = this.#full(filesFolder(path));
    const text = readFileSync(this.#full(path), "utf8");
    if (kind === "remove") {
      this.#remove(text);
      for (const file of this.attached(path).values()) this.#remove(file);
      rmSync(this.#full(path));
      // Some people forget the files beside it.
      if (pick % 3 > 0) rmSync(beside, { recursive: true, force: true });
    } else if (kind === "move") {
      const [one = "", other = ""] = this.#folders;
      const target = `${path.startsWith(`${one}/`) ? other : one}/moved ${this.#next++}.md`;
      mkdirSync(dirname(this.#full(target)), { recursive: true });
      renameSync(this.#full(path), this.#full(target));
      if (existsSync(beside)) renameSync(beside, this.#full(filesFolder(target)));
    } else if (kind === "rename") this.#renameFolder(pick % 2);
    else if (kind === "undo") {
      const last = this.#edits.get(path);
      if (last?.after !== text) return;
      for (const line of linesIn(last.after)) if (!last.before.includes(line)) this.removed.add(line);
      writeFileSync(this.#full(path), last.before);
    } else if (kind === "unname") writeFileSync(this.#full(path), text.replace(/^id: .*\n/m, ""));
    else if (kind === "attach") {
      const name = fileName(pick);
      const before = this.attached(path).get(name) ?? "";
      mkdirSync(beside, { recursive: true });
      writeFileSync(join(beside, name), `${before}${this.#line()}\n`);
    } else {
      const matter = /^---\n(?:[\s\S]*?\n)?---\n/.exec(text)?.[0] ?? "";
      const after = matter + this.#insert(text.slice(matter.length), pick);
      this.#edits.set(path, { before: text, after });
      writeFileSync(this.#full(path), after);
    }
  }

  #renameFolder(index: number): void {
    const [folder = "", deck = ""] = [this.#folders[index], this.#decks[index]];
    const name = `${"AB"[index]} ${this.#next++}`;
    if (!this.isSynced || !existsSync(this.#full(`${folder}/deck.yaml`))) return;
    renameSync(this.#full(folder), this.#full(name));
    this.#folders[index] = name;
    this.renamed.push({ deck, side: "folder", name });
  }

  async #editCard({ kind, pick, same }: Edit, effect: string): Promise<void> {
    const { client } = this.#synced;
    const cards = await this.#synced.cards();
    const card = same ? this.#sameCard(cards, effect) : cards[pick % Math.max(1, cards.length)];
    const deck = this.#decks[pick % 2] ?? "";
    if (kind === "create" || card === undefined) {
      const content = `${this.#line()}\n${this.#line()}\n${this.#line()}`;
      await client.cards.create({ content, "deck-id": deck });
    } else if (kind === "remove") {
      this.#remove(card.content ?? "");
      for (const file of (await this.stored(card.id)).values()) this.#remove(file);
      await client.cards.update(card.id, { "trashed?": new Date().toISOString() });
    } else if (kind === "edit and remove") {
      this.#remove(card.content ?? "");
      for (const file of (await this.stored(card.id)).values()) this.#remove(file);
      const content = this.#insert(card.content ?? "", pick);
      this.trashed.set(`line ${this.#next - 1}.`, card.id);
      await client.cards.update(card.id, { content });
      await client.cards.update(card.id, { "trashed?": new Date().toISOString() });
    } else if (kind === "rename") {
      const name = `${"AB"[pick % 2]} ${this.#next++}`;
      this.renamed.push({ deck, side: "service", name });
      await client.decks.update(deck, { name });
    } else if (kind === "move") await client.cards.update(card.id, { "deck-id": deck });
    else if (kind === "edit")
      await client.cards.update(card.id, { content: this.#insert(card.content ?? "", pick) });
    else if (kind === "attach") {
      const name = fileName(pick);
      const before = (await this.stored(card.id)).get(name) ?? "";
      await this.store(card.id, name, `${before}${this.#line()}\n`);
    }
  }

  /** The paths of the cards' files. */
  files(): string[] {
    const paths = this.#synced.files().filter((path) => path.endsWith(".md"));
    // Not in the order of the disk, so that a run can be repeated.
    return paths.sort();
  }

  /** The texts of the files beside a card's, by name. */
  attached(path: string): Map<string, string> {
    const folder = this.#full(filesFolder(path));
    if (!existsSync(folder)) return new Map();
    const names = readdirSync(folder).sort();
    return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  }

  /** The texts of the attachments of a card of the service, by name. */
  async stored(card: string): Promise<Map<string, string>> {
    const { attachments } = this.#synced.client;
    const texts = new Map<string, string>();
    const names = (await attachments.list(card)).map((each) => each["file-name"]).sort();
    for (const name of names)
      texts.set(name, await attachments.fetch(card, name, ({ body }) => textOf(body)));
    return texts;
  }

  async store(card: string, name: string, text: string): Promise<void> {
    const source = async () => ({
      stream: Readable.from([Buffer.from(text)]),
      size: Buffer.byteLength(text),
    });
    await this.#synced.client.attachments.add(card, { fileName: name, source });
  }

  /** Resolves conflicts as a person who wants to keep everything. */
  resolve(): void {
    for (const path of this.files()) {
      const text = readFileSync(this.#full(path), "utf8");
      const kept = text
        .replace(/^\|{7} base\n[\s\S]*?(?=^={7}$)/gm, "")
        .replace(/^(?:<{7}|={7}|>{7})(?: .*)?\n/gm, "");
      if (kept !== text) writeFileSync(this.#full(path), kept);
    }
  }

  /** Gives both sides the lines of both, where both changed an attachment. */
  async resolveAttachment(at: string): Promise<void> {
    const path = this.files().find((each) => at.startsWith(`${filesFolder(each)}/`));
    const id = path === undefined ? undefined : this.idOf(path);
    if (path === undefined || id === undefined) return;
    const name = at.slice(filesFolder(path).length + 1);
    const lines = new Set(linesIn(`${this.attached(path).get(name)} ${(await this.stored(id)).get(name)}`));
    const text = [...lines].map((line) => `${line}\n`).join("");
    writeFileSync(this.#full(at), text);
    await this.store(id, name, text);
  }

  idOf(path: string): string | undefined {
    return /^id: (.*)$/m.exec(readFileSync(this.#full(path), "utf8"))?.[1];
  }

  #full(path: string): string {
    return join(this.#synced.root, path);
  }

  #line(): string {
    const line = `line ${this.#next++}.`;
    this.written.add(line);
    return line;
  }

  /** Adds a line above one of a text. */
  #insert(text: string, pick: number): string {
    const lines = text.split("\n");
    // A line between the markers of a conflict may be removed when that is resolved.
    lines.splice(text.includes("<<<<<<<") ? 0 : pick % lines.length, 0, this.#line());
    return lines.join("\n");
  }

  #remove(text: string): void {
    for (const line of linesIn(text)) this.removed.add(line);
  }
}

/** What has the line that was written last. */
function latest<T>(all: readonly T[], textOf: (each: T) => string): T | undefined {
  const number = (each: T) => Math.max(0, ...linesIn(textOf(each)).map((line) => Number(line.slice(5, -1))));
  return all.reduce<T | undefined>(
    (best, each) => (best === undefined || number(each) > number(best) ? each : best),
    undefined,
  );
}

const fileName = (pick: number) => `file${pick % 2}.txt`;

/** Where runs have their folders: in memory where there is enough of it, since a sync waits for the disk at each step. */
function fastFolder(): string {
  const memory = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize > 256 * 1024 * 1024) return mkdtempSync(join(memory, "deckhand-test-"));
  } catch {
    // There is none.
  }
  return mkdtempSync(join(tmpdir(), "deckhand-test-"));
}

/** Runs of the model on accounts of one service, which is replaced now and then. */
export class Model {
  #folder = "";
  #application: Application | undefined;
  #runs = 0;
  /** Where the ids of the service come from: from the run, so that it can be repeated. */
  #random = seededRandom(0);
  /** How many effects the syncs had. */
  effects = 0;

  async close(): Promise<void> {
    await this.#application?.close();
    this.#application = undefined;
    if (this.#folder !== "") rmSync(this.#folder, { recursive: true, maxRetries: 10 });
  }

  async run(rounds: readonly Round[], machines = 1): Promise<void> {
    if (this.#runs++ % 200 === 0) await this.close();
    if (this.#application === undefined) {
      this.#folder = fastFolder();
      const random: RandomBytes = (bytes) => {
        for (const at of bytes.keys()) bytes[at] = this.#random() * 256;
        return bytes;
      };
      this.#application = await openApplication({ folder: this.#folder, now: Date.now, random, keyDelay: 0 });
    }
    this.#random = seededRandom(createHash("sha256").update(JSON.stringify(rounds)).digest().readInt32LE());
    const root = mkdtempSync(join(this.#folder, "run-"));
    happened = [];
    try {
      this.effects += await live(this.#application, root, rounds, machines);
    } catch (error) {
      process.stdout.write(happened.join("") + textsUnder(root));
      throw error;
    } finally {
      rmSync(root, { recursive: true, maxRetries: 10 });
    }
  }
}

/** The files of a folder and what is in them, for somebody who looks for a fault. */
const textsUnder = (root: string): string =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `== ${path.slice(root.length)}\n${readFileSync(path, "utf8")}\n`)
    .join("");

/** A first sync does not start where both sides differ: the machine that knows them goes first. */
function refused(error: unknown): undefined {
  if (!(error instanceof UsageError) || error.cause !== undefined) throw error;
}

/** @returns how many effects the syncs had */
async function live(
  application: Application,
  folder: string,
  rounds: readonly Round[],
  machines: number,
): Promise<number> {
  let lose = false;
  const account = folder.slice(folder.lastIndexOf("/") + 1);
  const whole = clientOf(application, { account }, ({ method }) => {
    if (!lose || method !== "POST") return undefined;
    lose = false;
    return "lost";
  });
  // A hosted service takes neither ids nor batches.
  const hosted = (rounds[0]?.edits[0]?.pick ?? 0) % 2 === 1;
  const has: typeof whole.service.has = async (name) =>
    !(hosted && (name === "ids" || name === "batch")) && whole.service.has(name);
  const client = { ...whole, service: { ...whole.service, has } };
  const root = join(folder, "cards");
  const all: Synced[] = [];
  while (all.length < machines)
    all.push(syncedFolder({ client, root, statePath: join(folder, `machine-${all.length}.sqlite`) }));
  const [synced] = all as [Synced];
  const world = new World(synced, [await synced.deck("A"), await synced.deck("B")]);
  let effects = 0;
  for (const [index, { edits, machine, incidents, late, watches }] of rounds.entries()) {
    for (const each of edits) await world.edit(each);
    if (index % 10 === 9) world.resolve();
    let number = 0;
    const open = new Set(incidents);
    trace("sync", machine % machines, incidents, late ? "late" : "", watches ? "watches" : "");
    const crashes = (all[machine % machines] ?? synced).sync({
      maxDelete: 1000,
      now: () => Date.now() + (late ? 5000 : 0),
      ...(watches ? { watching: { confirmed: false } } : {}),
      step: async (effect) => {
        effects++;
        trace("effect", effect);
        if (watches && effect.startsWith("trash")) throw new Error(`removed unasked: ${effect}`);
        const now = [...open].filter(({ at }) =>
          typeof at === "string" ? effect.startsWith(at) : at === number,
        );
        number++;
        for (const incident of now) {
          open.delete(incident);
          trace("incident", incident);
          if (incident.what === "crash") throw new Crash();
          if (incident.what === "lost answer") lose = true;
          if (typeof incident.what === "object")
            for (const each of incident.what) await world.edit(each, effect);
        }
      },
    });
    const whole = crashes.then(() => {
      world.isSynced = true;
    });
    await whole.catch((error: unknown) => {
      const lost = error instanceof Error && error.message.includes("lost");
      if (!(error instanceof Crash) && !lost) refused(error);
    });
    lose = false;
  }
  const preferred = await converge(all, world);
  for (const { id, content } of await synced.cards()) trace("card", id, JSON.stringify(content));
  await compare(synced, world, preferred);
  return effects;
}

/** Syncs until there is nothing to do, as people would. @returns whether a side had to be preferred */
async function converge(machines: readonly Synced[], world: World): Promise<boolean> {
  let last: unknown;
  for (let attempt = 0; attempt < 12; attempt++) {
    world.resolve();
    let quiet = true;
    for (const machine of machines) {
      // A card that was moved on both sides takes the place that it has in the folder.
      const prefer = attempt > 5 ? { prefer: "folder" as const } : {};
      const result = await machine.sync({ maxDelete: 1000, ...prefer }).catch(refused);
      quiet &&=
        result?.left.length === 0 &&
        result.done.size === 0 &&
        result.plan.changes.every(({ thing }) => thing !== "deck");
      if (result === undefined) continue;
      last = {
        left: result.left,
        done: [...result.done],
        decks: result.plan.changes.filter(({ thing }) => thing === "deck"),
      };
      trace("synced", last);
      for (const { what, conflict } of result.left)
        if (conflict && what.includes(".files/")) await world.resolveAttachment(what);
    }
    if (quiet) return attempt > 5;
  }
  expect.fail(`the sides do not converge: ${JSON.stringify(last)}`);
}

/** Both sides are the same, and have each line that was written and not removed, once. */
export async function compare(synced: Synced, world: World, preferred: boolean): Promise<void> {
  const inFiles = world.files().flatMap((path) => linesIn(readFileSync(join(synced.root, path), "utf8")));
  const cards = await synced.cards();
  const inCards = cards.flatMap(({ content }) => linesIn(content ?? ""));
  expect(inFiles.sort(), "both sides are the same").toEqual(inCards.sort());
  const doubled = inFiles.filter((line, index) => inFiles.indexOf(line) !== index);
  expect(doubled, "nothing is doubled").toEqual([]);
  const attached: string[] = [];
  const beside = new Map(world.files().map((path) => [world.idOf(path), world.attached(path)]));
  for (const { id } of cards) {
    const stored = await world.stored(id);
    expect([...(beside.get(id) ?? [])], "the attachments of both sides are the same").toEqual([...stored]);
    for (const text of stored.values()) attached.push(...linesIn(text));
  }
  // A folder of attachments whose note is elsewhere is named by each plan, and stays as it is.
  for (const path of synced.files().filter((each) => each.includes(".files/")))
    attached.push(...linesIn(readFileSync(join(synced.root, path), "utf8")));
  // With a preferred side the other text is in the trash of the folder.
  const there = new Set([...inFiles, ...attached, ...(preferred ? linesIn(synced.trash()) : [])]);
  const live = new Set(cards.map(({ id }) => id));
  const isLost = (line: string) => {
    const trashed = world.trashed.get(line);
    return !there.has(line) && !world.removed.has(line) && (trashed === undefined || live.has(trashed));
  };
  const lost = [...world.written].filter(isLost);
  expect(lost, "nothing is lost").toEqual([]);
  await compareDecks(synced, world, preferred);
  expect(readdirSync(join(synced.root, ".deckhand/tmp"), { recursive: true })).toEqual([]);
}

/** A deck has the name that it was given last, where only one side gave it names. */
async function compareDecks(synced: Synced, world: World, preferred: boolean): Promise<void> {
  for (const { deck, name } of new Map(world.renamed.map((each) => [each.deck, each])).values()) {
    const sides = new Set(world.renamed.filter((each) => each.deck === deck).map(({ side }) => side));
    if (sides.size > 1 || preferred) continue;
    expect((await synced.client.decks.get(deck)).name, "a rename is not undone").toBe(name);
  }
}
