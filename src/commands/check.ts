import type { Context } from "../context/context.ts";
import { PartialError } from "../errors.ts";
import { Aside } from "../files/aside.ts";
import { setAsideFolder } from "../files/dated.ts";
import { visible } from "../output/index.ts";
import { count } from "../output/words.ts";
import { string } from "../schema/kinds.ts";
import { listingOf } from "../schema/resources.ts";
import type { Finding } from "../service/check/finding.ts";
import { backUpBefore } from "./backup/create.ts";
import { noteLocal, type Places, placesOf } from "./backup/places.ts";
import { assertCollection, hasCollection } from "./serve/data.ts";
import { command, declare } from "./shared/command.ts";

const listing = listingOf("findings", { part: string(), item: string(), problem: string(), cards: string() });

const declared = () =>
  declare(`Verify the local collection, its attachments and logs; exit 9 on damage.

Reads everything: the database, every document and attachment, and without --data the
review logs and the state of \`sync\`. Each line names the cards that depend on what is damaged.

A PostgreSQL database is verified with its own tools.

  deckhand check
  deckhand check --repair
  deckhand check --data ./cards -o json`)
    .option("--data <folder>", "folder of the collections; default: that of the profile local")
    .option("--repair", "move what is damaged to another folder, after a backup");

export const checkCommand = command(declared, async (options, context) => {
  const places = placesOf(options.data, context);
  const { data, folder } = places;
  const named = options.data !== undefined;
  if (named) assertCollection({ folder: data });
  noteLocal("Checking", options.data, context);
  const repairs = options.repair === true && !context.options.dryRun;
  if (repairs) await context.print.checkFilter();
  const repair = repairs ? new Repair(places, context) : undefined;
  let [found, left] = [0, 0];
  async function* lines() {
    for await (const finding of findings(folder, !named, context)) {
      found++;
      left++;
      await repair?.of(finding);
      yield { part: finding.part, item: finding.item, problem: finding.problem, cards: cardsText(finding) };
    }
  }
  try {
    // Repairs do not end where the list does, because a reader closes the pipe for example.
    const rows = repair === undefined ? lines() : await all(lines());
    await context.print.list(listing, rows);
    if (repair?.begun) {
      left = 0;
      for await (const { item, problem } of findings(folder, !named, context)) {
        left++;
        context.io.warn(`${item}: still damaged: ${problem}`);
      }
    }
  } finally {
    repair?.end();
  }
  if (!hasCollection(data))
    context.io.note(`There is no collection in ${data} yet; only the other files were checked`);
  if (found === 0) context.io.say("Nothing is damaged");
  if (left === 0) return;
  throw new PartialError(`${count(left, "finding")}`, {
    hint: repair
      ? "Restore a backup: deckhand backup restore <file> --replace"
      : "`deckhand check --repair` moves what is damaged to another folder, after a backup.",
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function* findings(folder: string, ownFiles: boolean, context: Context): AsyncGenerator<Finding> {
  const [{ storeFindings }, status] = await Promise.all([
    import("../service/check/index.ts"),
    context.io.status(),
  ]);
  const cards = status.begin({ label: "Checking cards", unit: "items" });
  const bytes = status.begin({ label: "Checking attachments", unit: "bytes" });
  try {
    yield* storeFindings(folder, {
      cards(done) {
        context.signal.throwIfAborted();
        cards.set(done);
      },
      attachments(done) {
        context.signal.throwIfAborted();
        bytes.set(done);
      },
    });
  } finally {
    cards.end();
    bytes.end();
  }
  if (!ownFiles) return;
  const { fileFindings } = await import("../check/index.ts");
  yield* fileFindings(context.folders);
}

const mostCards = 20;

/** `x7Rw2kQp Lisbon; 9aPqLm3T` */
function cardsText({ cards }: Finding): string {
  const texts = cards.slice(0, mostCards).map(({ id, name }) => (name === null ? id : `${id} ${name}`));
  if (cards.length > mostCards) texts.push(`and ${cards.length - mostCards} more`);
  return texts.join("; ");
}

/** Repairs findings one by one; before the first it asks and makes a backup. */
class Repair {
  readonly #places: Places;
  readonly #context: Context;
  readonly #aside: Aside;
  #begun = false;
  #isBackedUp = false;

  constructor(places: Places, context: Context) {
    this.#places = places;
    this.#context = context;
    this.#aside = new Aside(setAsideFolder(places.data, context.clock.now()));
  }

  /** Whether anything was repaired. */
  get begun(): boolean {
    return this.#begun;
  }

  async of({ part, item, repair }: Finding): Promise<void> {
    if (repair === undefined) return;
    await this.#begin(part);
    try {
      this.#context.io.note(visible(`repaired: ${item}: ${await repair(this.#aside)}`));
    } catch (error) {
      this.#context.io.warn(`${item}: not repaired: ${error instanceof Error ? error.message : error}`);
    }
  }

  end(): void {
    this.#aside.close();
    // Also with --quiet: it is nowhere else.
    if (this.#aside.used)
      this.#context.io.stderr.write(`What was damaged is in ${visible(this.#aside.folder)}\n`);
  }

  /** @throws DeckhandError where there is no backup: nothing is repaired then */
  async #begin(part: Finding["part"]): Promise<void> {
    const { io } = this.#context;
    if (!this.#begun)
      await io.confirm(
        `Repair? What is damaged is moved to ${this.#aside.folder}, after a backup.`,
        "nothing was changed",
      );
    this.#begun = true;
    if (this.#isBackedUp || !hasCollection(this.#places.data)) return;
    try {
      const path = await backUpBefore("repair", this.#places, this.#context);
      this.#isBackedUp = true;
      io.note(visible(`A backup before the repair: ${path}`));
    } catch (error) {
      // A database that cannot be read is set aside whole by its repair; what is repaired after that has a backup again.
      if (part !== "database" || !(error instanceof PartialError)) throw error;
      io.note("The database cannot be backed up: all of it is kept");
    }
  }
}
