import type { KnownCard, NoteCard } from "../../src/notes/identity.ts";
import { seededRandom } from "../support/random.ts";

/** A card of the model: it keeps its id through every edit after which a person would call it the same card. */
interface ModelCard {
  readonly id: string;
  readonly sides: readonly string[];
}

export interface Notebook {
  readonly files: ReadonlyMap<string, readonly ModelCard[]>;
  /** Cut out, to be pasted somewhere later. */
  readonly gone: readonly (ModelCard & { readonly file: string })[];
  readonly count: number;
}

export interface Edited {
  readonly book: Notebook;
  readonly what: string;
  readonly known: readonly KnownCard[];
  readonly found: readonly NoteCard[];
  /** The id that each card found should have; undefined for a new one. */
  readonly truth: readonly (string | undefined)[];
}

type Random = () => number;

const places =
  "Norway Oslo Sweden Stockholm Finland Helsinki Denmark Copenhagen Iceland Reykjavik Estonia Tallinn Latvia Riga Lithuania Vilnius Poland Warsaw Germany Berlin France Paris Spain Madrid Portugal Lisbon Italy Rome Greece Athens Turkey Ankara Egypt Cairo Kenya Nairobi Peru Lima Chile Santiago Cuba Havana Japan Tokyo Nepal Kathmandu Mali Bamako Ghana Accra".split(
    " ",
  );
const words =
  "house hus dog hund cat katt tree tre water vann fire ild bread brød milk melk snow snø stone stein boat båt sea sjø hand hånd eye øye night natt day dag red rød green grønn white hvit black svart old gammel new ny small liten large stor".split(
    " ",
  );
const things =
  "mitochondrion ribosome nucleus membrane enzyme hormone neuron synapse axon dendrite artery vein capillary kidney liver spleen thymus cornea retina cochlea tendon ligament cartilage femur tibia fibula radius ulna sternum clavicle".split(
    " ",
  );
const facts =
  "produces energy for the cell|joins amino acids to chains|holds the hereditary material|separates inside and outside|speeds up a reaction without being used up|carries a message in the blood|conducts signals over long distances|passes a signal to the next cell|filters waste from the blood|breaks down old cells of the blood|bends light before the lens|turns light into signals|turns sound into signals|ties muscle to bone|ties bone to bone|cushions a joint".split(
    "|",
  );

const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T;

/** A card as the examples of hashcards and of vaults have them: questions, words, sentences with gaps, formulas. */
function newSides(serial: number, random: Random): string[] {
  const kind = Math.floor(random() * 5);
  const place = Math.floor(random() * (places.length / 2)) * 2;
  const word = Math.floor(random() * (words.length / 2)) * 2;
  const thing = pick(things, random);
  const by = serial % 3 === 0 ? "" : ` of kind ${serial}`;
  if (kind === 0) return [`What is the capital of ${places[place]}${by}?`, `${places[place + 1]} ${serial}`];
  if (kind === 1) return [`${words[word]}${serial}`, `${words[word + 1]}${serial}`];
  if (kind === 2) return [`What does the ${thing}${serial} do?`, `It ${pick(facts, random)}.`];
  if (kind === 3)
    return [`The [${thing}${serial}] ${pick(facts, random)}, unlike the ${pick(things, random)}.`];
  return [`Solve $${serial}x + ${serial % 17} = 0$`, `$x = -${serial % 17}/${serial}$`];
}

export function newNotebook(seed: number): Notebook {
  const random = seededRandom(seed);
  const files = new Map<string, ModelCard[]>();
  let count = 0;
  for (const name of ["geography.md", "biology.md", "norwegian.md", "algebra.md", "mixed.md"])
    files.set(
      name,
      Array.from({ length: 12 }, () => ({ id: `card${++count}`, sides: newSides(count, random) })),
    );
  return { files, gone: [], count };
}

/** One edit of a person, or two before the folder is read again. */
export function editRandomly(book: Notebook, seed: number): Edited {
  const random = seededRandom(1000 + seed);
  const draft = new Draft(book, random);
  const what = [draft.edit(), ...(random() < 0.4 ? [draft.edit()] : [])].join(" and ");
  return draft.done(what);
}

class Draft {
  readonly #before: Notebook;
  readonly #random: Random;
  readonly #files: Map<string, ModelCard[]>;
  #gone: (ModelCard & { file: string })[];
  #count: number;

  constructor(book: Notebook, random: Random) {
    this.#before = book;
    this.#random = random;
    this.#files = new Map([...book.files].map(([name, cards]) => [name, [...cards]]));
    this.#gone = [...book.gone];
    this.#count = book.count;
  }

  edit(): string {
    const kinds = [
      "question",
      "answer",
      "both",
      "reorder",
      "move",
      "cut",
      "paste",
      "rename",
      "merge",
      "split",
      "reformat",
      "add",
      "replace",
    ] as const;
    const kind = pick(kinds, this.#random);
    this[kind]();
    return kind;
  }

  done(what: string): Edited {
    const changed = new Set(
      [...this.#before.files.keys(), ...this.#files.keys()].filter(
        (name) => JSON.stringify(this.#before.files.get(name)) !== JSON.stringify(this.#files.get(name)),
      ),
    );
    const known: KnownCard[] = [];
    for (const [file, cards] of this.#before.files)
      if (changed.has(file)) for (const { id, sides } of cards) known.push({ id, file, sides });
    for (const { id, file, sides } of this.#before.gone) known.push({ id, file, sides, gone: true });
    const ids = new Set(known.map(({ id }) => id));
    const found: NoteCard[] = [];
    const truth: (string | undefined)[] = [];
    for (const [file, cards] of this.#files)
      if (changed.has(file))
        for (const { id, sides } of cards) {
          found.push({ file, sides });
          truth.push(ids.has(id) ? id : undefined);
        }
    const there = new Set([...this.#files.values()].flat().map(({ id }) => id));
    const lost = [...this.#before.files].flatMap(([file, cards]) =>
      cards.filter(({ id }) => !there.has(id)).map((card) => ({ ...card, file })),
    );
    const kept = this.#gone.filter(({ id }) => !there.has(id) && !lost.some((card) => card.id === id));
    const book = { files: this.#files, gone: [...kept, ...lost].slice(-20), count: this.#count };
    return { book, what, known, found, truth };
  }

  #file(): string {
    return pick([...this.#files.keys()], this.#random);
  }

  #cards(file: string): ModelCard[] {
    return this.#files.get(file) ?? [];
  }

  /** Changes the sides of a card where it stands. */
  #change(change: (sides: readonly string[]) => readonly string[]): void {
    const cards = this.#cards(this.#file());
    const index = Math.floor(this.#random() * cards.length);
    const card = cards[index];
    if (card !== undefined) cards[index] = { ...card, sides: change(card.sides) };
  }

  question(): void {
    this.#change(([question = "", ...rest]) => [this.#worded(question), ...rest]);
  }

  answer(): void {
    this.#change((sides) => {
      const answer = sides.at(-1) ?? "";
      if (sides.length === 1) return [this.#worded(answer)];
      const edited =
        this.#random() < 0.5
          ? `${answer} (as of ${1900 + this.#count})`
          : `${pick(words, this.#random)} ${this.#count}`;
      return [...sides.slice(0, -1), edited];
    });
  }

  both(): void {
    this.#change((sides) => sides.map((side) => this.#worded(side)));
  }

  /** Another wording of the same: a word more, or a word less where there are many. */
  #worded(text: string): string {
    const parts = text.split(" ");
    if (parts.length > 5 && this.#random() < 0.3) {
      const dull = parts.findIndex((part) => /^(?:the|What|It|is|does)$/.test(part));
      if (dull >= 0) return parts.filter((_, index) => index !== dull).join(" ");
    }
    const at = Math.floor(this.#random() * (parts.length + 1));
    return [
      ...parts.slice(0, at),
      pick(["also", "now", "namely", "(sic)"], this.#random),
      ...parts.slice(at),
    ].join(" ");
  }

  reorder(): void {
    const file = this.#file();
    const keyed = this.#cards(file).map((card) => ({ card, key: this.#random() }));
    this.#files.set(
      file,
      keyed.sort((a, b) => a.key - b.key).map(({ card }) => card),
    );
  }

  move(): void {
    const [card] = this.#cut(this.#file());
    if (card !== undefined) this.#insert(this.#file(), card);
  }

  cut(): void {
    const file = this.#file();
    if (this.#cards(file).length > 4) for (const card of this.#cut(file)) this.#gone.push({ ...card, file });
  }

  paste(): void {
    const card = this.#gone.pop();
    if (card !== undefined) this.#insert(this.#file(), { id: card.id, sides: card.sides });
  }

  rename(): void {
    const file = this.#file();
    const cards = this.#cards(file);
    this.#files.delete(file);
    this.#files.set(`renamed${++this.#count}.md`, cards);
  }

  merge(): void {
    if (this.#files.size < 4) return;
    const file = this.#file();
    const cards = this.#cards(file);
    this.#files.delete(file);
    const into = this.#file();
    this.#files.set(into, [...this.#cards(into), ...cards]);
  }

  split(): void {
    const file = this.#file();
    const cards = this.#cards(file);
    if (cards.length < 4) return;
    const half = cards.splice(Math.floor(cards.length / 2));
    this.#files.set(`part${++this.#count}.md`, half);
  }

  reformat(): void {
    const file = this.#file();
    this.#files.set(
      file,
      this.#cards(file).map((card) => ({
        ...card,
        sides: card.sides.map((side) => `${side.replace(" ", "\n  ")}\n`),
      })),
    );
  }

  add(): void {
    this.#insert(this.#file(), this.#new());
  }

  /** Another card, of the same kind or not, in the place of one that is deleted for good. */
  replace(): void {
    const cards = this.#cards(this.#file());
    if (cards.length > 0) cards[Math.floor(this.#random() * cards.length)] = this.#new();
  }

  #new(): ModelCard {
    const count = ++this.#count;
    return { id: `card${count}`, sides: newSides(count, this.#random) };
  }

  #cut(file: string): ModelCard[] {
    const cards = this.#cards(file);
    return cards.length === 0 ? [] : cards.splice(Math.floor(this.#random() * cards.length), 1);
  }

  #insert(file: string, card: ModelCard): void {
    const cards = this.#cards(file);
    cards.splice(Math.floor(this.#random() * (cards.length + 1)), 0, card);
  }
}
