import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { openTestApplication } from "../support/service.ts";
import { count, figure, seed } from "../support/soak.ts";
import { clientOf } from "../transfer/support.ts";
import { type Synced, syncedFolder } from "./support.ts";

/**
 * The promise of a sync: no text is lost, doubled or overwritten unseen. A folder and an account of the real service are
 * edited at random, also in the middle of a sync, before or after any of its effects, where it may end as well. Each edit
 * adds a line that is written once in the world; at the end each must be once on both sides.
 */

/** An edit of a person, on either side; `pick` chooses a card, and a place in it. */
interface Edit {
  readonly side: "folder" | "service";
  readonly kind: "create" | "edit" | "edit" | "remove" | "move" | "unname";
  readonly pick: number;
}

interface Round {
  readonly edits: readonly Edit[];
  /** What happens at which effect of the sync. */
  readonly at: number;
  readonly event: "nothing" | "crash" | "lost answer" | readonly Edit[];
}

const edit: fc.Arbitrary<Edit> = fc.record({
  side: fc.constantFrom("folder", "service"),
  kind: fc.constantFrom("create", "create", "edit", "edit", "edit", "remove", "move", "unname"),
  pick: fc.nat(1000),
});
const round: fc.Arbitrary<Round> = fc.record({
  edits: fc.array(edit, { maxLength: 4 }),
  at: fc.nat(14),
  event: fc.oneof(
    fc.constantFrom("nothing" as const, "crash" as const, "lost answer" as const),
    fc.array(edit, { minLength: 1, maxLength: 3 }),
  ),
});

class Crash extends Error {}

class World {
  readonly #synced: Synced;
  readonly #decks: readonly string[];
  #next = 1;
  /** Lines that were written, and those that somebody removed with their card. */
  readonly written = new Set<string>();
  readonly removed = new Set<string>();

  constructor(synced: Synced, decks: readonly string[]) {
    this.#synced = synced;
    this.#decks = decks;
  }

  async edit({ side, kind, pick }: Edit): Promise<void> {
    if (side === "folder") this.#editFile(kind, pick);
    else await this.#editCard(kind, pick);
  }

  #editFile(kind: Edit["kind"], pick: number): void {
    const { root } = this.#synced;
    const files = this.files();
    const path = files[pick % Math.max(1, files.length)];
    if (kind === "create" || path === undefined) {
      const file = join(root, ["A", "B"][pick % 2] ?? "A", `file ${this.#next}.md`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${this.#line()}\n${this.#line()}\n${this.#line()}\n`);
      return;
    }
    const text = readFileSync(join(root, path), "utf8");
    if (kind === "remove") {
      this.#remove(text);
      rmSync(join(root, path));
    } else if (kind === "move") {
      const target = join(root, path.startsWith("A/") ? "B" : "A", `moved ${this.#next++}.md`);
      mkdirSync(dirname(target), { recursive: true });
      renameSync(join(root, path), target);
    } else if (kind === "unname") writeFileSync(join(root, path), text.replace(/^id: .*\n/m, ""));
    else {
      const matter = /^---\n[\s\S]*?\n---\n/.exec(text)?.[0] ?? "";
      writeFileSync(join(root, path), matter + this.#insert(text.slice(matter.length), pick));
    }
  }

  async #editCard(kind: Edit["kind"], pick: number): Promise<void> {
    const { client } = this.#synced;
    const cards = await this.#synced.cards();
    const card = cards[pick % Math.max(1, cards.length)];
    const deck = this.#decks[pick % 2] ?? "";
    if (kind === "create" || card === undefined) {
      const content = `${this.#line()}\n${this.#line()}\n${this.#line()}`;
      await client.cards.create({ content, "deck-id": deck }).send();
    } else if (kind === "remove") {
      this.#remove(card.content ?? "");
      await client.cards.update(card.id, { "trashed?": new Date().toISOString() }).send();
    } else if (kind === "move") await client.cards.update(card.id, { "deck-id": deck }).send();
    else if (kind === "edit")
      await client.cards.update(card.id, { content: this.#insert(card.content ?? "", pick) }).send();
  }

  files(): string[] {
    return this.#synced.files().filter((path) => path.endsWith(".md"));
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

  /** Resolves conflicts as a person who wants to keep everything. */
  resolve(): void {
    for (const path of this.files()) {
      const full = join(this.#synced.root, path);
      const text = readFileSync(full, "utf8");
      const kept = text
        .replace(/^\|{7} base\n[\s\S]*?(?=^={7}$)/gm, "")
        .replace(/^(?:<{7}|={7}|>{7})(?: .*)?\n/gm, "");
      if (kept !== text) writeFileSync(full, kept);
    }
  }
}

const linesIn = (text: string) => text.match(/line \d+\./g) ?? [];

/** A first sync does not start where both sides differ: the machine that knows them goes first. */
function refused(error: unknown): undefined {
  if (!(error instanceof UsageError)) throw error;
}

/** @returns how many effects the syncs had */
async function live(rounds: readonly Round[], machines = 1): Promise<number> {
  const application = await openTestApplication();
  let lose = false;
  const client = clientOf(application, ({ method }) => {
    if (!lose || method !== "POST") return undefined;
    lose = false;
    return "lost";
  });
  const synced = await syncedFolder({ client });
  const all = [synced];
  while (all.length < machines) all.push(await syncedFolder({ client, root: synced.root }));
  const decks = [await synced.deck("A"), await synced.deck("B")];
  const world = new World(synced, decks);
  let effects = 0;
  const options = { maxDelete: 1000 };
  for (const { edits, at, event } of rounds) {
    for (const each of edits) await world.edit(each);
    let step = 0;
    const machine = all[at % machines] ?? synced;
    const crashes = machine.sync({
      ...options,
      step: async () => {
        effects++;
        if (step++ !== at) return;
        if (event === "crash") throw new Crash();
        if (event === "lost answer") lose = true;
        if (typeof event === "object") for (const each of event) await world.edit(each);
      },
    });
    await crashes.catch((error: unknown) => {
      const lost = error instanceof Error && error.message.includes("lost");
      if (!(error instanceof Crash) && !lost) refused(error);
    });
    lose = false;
  }
  let quiet = false;
  let preferred = false;
  let last: unknown;
  for (let attempt = 0; attempt < 12 && !quiet; attempt++) {
    world.resolve();
    quiet = true;
    for (const machine of all) {
      // A card that was moved on both sides takes the place that it has in the folder.
      preferred ||= attempt > 5;
      const prefer = attempt > 5 ? { prefer: "folder" as const } : {};
      const result = await machine.sync({ ...options, ...prefer }).catch(refused);
      quiet &&= result?.left.length === 0 && result.done.size === 0 && result.plan.decks.length === 0;
      if (result === undefined) continue;
      last = { left: result.left, done: [...result.done], decks: result.plan.decks };
    }
  }
  expect(quiet, `both sides converge: ${JSON.stringify(last)}`).toBe(true);
  const inFiles = world.files().flatMap((path) => linesIn(readFileSync(join(synced.root, path), "utf8")));
  const inCards = (await synced.cards()).flatMap(({ content }) => linesIn(content ?? ""));
  expect(inFiles.sort(), "both sides are the same").toEqual(inCards.sort());
  expect(new Set(inFiles).size, "nothing is doubled").toBe(inFiles.length);
  // With a preferred side the other text is in the trash of the folder.
  const trashed: readonly string[] = preferred ? linesIn(synced.trash()) : [];
  const lost = [...world.written].filter(
    (line) => !inFiles.includes(line) && !world.removed.has(line) && !trashed.includes(line),
  );
  expect(lost, "nothing is lost").toEqual([]);
  expect(readdirSync(join(synced.root, ".deckhand/tmp"), { recursive: true })).toEqual([]);
  await application.close();
  rmSync(synced.root, { recursive: true });
  return effects;
}

test("no edit is lost or doubled, whenever a sync is killed or anything is edited under it", async () => {
  const runs = count("sync_model", 100, 2000);
  let effects = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 6 }), async (rounds) => {
      effects += await live(rounds);
    }),
    { numRuns: runs, seed, endOnFailure: process.env["SHRINK"] === undefined },
  );
  figure("syncs with a crash or an edit at any effect", { runs, effects });
}, 3_600_000);

/** A machine cannot tell whose card a file without an id is, if another one has synced it. */
const named = (round: Round): Round => {
  const keep = (edits: readonly Edit[]) => edits.filter(({ kind }) => kind !== "unname");
  const { event } = round;
  return { ...round, edits: keep(round.edits), event: typeof event === "object" ? keep(event) : event };
};

test("two machines that share a folder and an account lose and double nothing either", async () => {
  const runs = count("sync_machines", 20, 500);
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 8 }), async (rounds) => {
      await live(rounds.map(named), 2);
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
}, 3_600_000);
