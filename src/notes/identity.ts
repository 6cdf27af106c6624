/**
 * Which card of a followed file is which (docs/design/cards.md): files carry no ids, and a schedule has to survive an edit.
 * Pure.
 */

/** A card as it stands in a file. */
export interface NoteCard {
  readonly file: string;
  /** Its texts, the question first. */
  readonly sides: readonly string[];
}

/** A card that was found before, in the order of its file. */
export interface KnownCard extends NoteCard {
  readonly id: string;
  /** Whether it was in no file any more when the folder was read last. */
  readonly gone?: boolean;
}

/** So much of the words, weighted by how rare they are, must be the same. */
const similarEnough = 0.5;
/** The same where the card moved to another file, too. */
const similarElsewhere = 0.75;
/** The same where exactly one card is left on each side between the same neighbours. */
const similarInPlace = 0.25;
/** Question and answer must each have so much in common: otherwise another card of the same form took its place. */
const similarOnEachSide = 0.25;
/** The same question with another answer is the same card. */
const sameQuestion = 0.9;
/** Cards that share rare words and are looked at closely. */
const mostCandidates = 20;

/**
 * Finds the known card of each card in the files that changed.
 *
 * @param known the cards of the files that changed or are missing, and those that are gone
 * @param found the cards that these files have now, in their order
 * @returns the id for each card found; undefined for one that is new
 */
export function identify(
  known: readonly KnownCard[],
  found: readonly NoteCard[],
): readonly (string | undefined)[] {
  return new Identification(known, found).run();
}

/** What makes two texts the same: line breaks and spaces do not count. */
export const textOf = ({ sides }: Pick<NoteCard, "sides">): string => sides.map(plain).join("\n---\n");

const plain = (text: string): string => text.normalize("NFC").replace(/\s+/gu, " ").trim();

const wordPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+|[^\s\p{P}]/gu;

/** The different words of a text; a writing without spaces gives its characters. */
const wordsOf = (text: string): Set<string> =>
  new Set(text.normalize("NFC").toLowerCase().match(wordPattern) ?? []);

class Identification {
  readonly #known: readonly KnownCard[];
  readonly #found: readonly NoteCard[];
  /** The known card of each one found, and the reverse, by their indexes. */
  readonly #match: (number | undefined)[];
  readonly #taken = new Map<number, number>();

  constructor(known: readonly KnownCard[], found: readonly NoteCard[]) {
    this.#known = known;
    this.#found = found;
    this.#match = found.map(() => undefined);
  }

  run(): readonly (string | undefined)[] {
    this.#matchTexts((card) => `${card.file}\0${textOf(card)}`, false);
    this.#matchTexts(textOf, false);
    this.#matchTexts(textOf, true);
    this.#matchSimilar();
    return this.#match.map((index) => (index === undefined ? undefined : this.#known[index]?.id));
  }

  #take(found: number, known: number): void {
    this.#match[found] = known;
    this.#taken.set(known, found);
  }

  #open(): { known: number[]; found: number[] } {
    const known = [...this.#known.keys()].filter((index) => !this.#taken.has(index));
    return { known, found: [...this.#found.keys()].filter((index) => this.#match[index] === undefined) };
  }

  /** Equal texts are matched in their order. */
  #matchTexts(keyOf: (card: NoteCard) => string, gone: boolean): void {
    const open = this.#open();
    const queues = new Map<string, number[]>();
    for (const index of open.known) {
      const card = this.#known[index] as KnownCard;
      if ((card.gone ?? false) === gone) queues.set(keyOf(card), [...(queues.get(keyOf(card)) ?? []), index]);
    }
    for (const index of open.found) {
      const known = queues.get(keyOf(this.#found[index] as NoteCard))?.shift();
      if (known !== undefined) this.#take(index, known);
    }
  }

  /** The most similar pair first; then those that are alone between the same neighbours of their file. */
  #matchSimilar(): void {
    const open = this.#open();
    if (open.found.length === 0 || open.known.length === 0) return;
    const places = this.#placesOfFiles();
    const leastFor = (known: number, found: number) => {
      const [from, to] = [this.#known[known]?.file ?? "", this.#found[found]?.file ?? ""];
      return from === to || places.get(from)?.has(to) === true ? similarEnough : similarElsewhere;
    };
    const likeness = new Likeness(this.#known, this.#found);
    const there = open.known.filter((known) => !this.#known[known]?.gone);
    const pairs = open.found.flatMap((found) =>
      likeness.candidates(found, there).map(({ known, score }) => ({ known, found, score })),
    );
    pairs.sort((a, b) => b.score - a.score);
    for (const { known, found, score } of pairs)
      if (score >= leastFor(known, found) && this.#match[found] === undefined && !this.#taken.has(known))
        this.#take(found, known);
    const { found: left } = this.#open();
    for (const found of left) {
      const known = this.#aloneBetweenNeighbours(found);
      if (known !== undefined && likeness.score(known, found) >= similarInPlace) this.#take(found, known);
    }
  }

  /** The files in which cards of a file that is no longer there were found: it was renamed, merged or split. */
  #placesOfFiles(): ReadonlyMap<string, ReadonlySet<string>> {
    const there = new Set(this.#found.map(({ file }) => file));
    const places = new Map<string, Set<string>>();
    for (const [known, found] of this.#taken) {
      const from = this.#known[known] as KnownCard;
      const to = this.#found[found] as NoteCard;
      if (from.gone || there.has(from.file)) continue;
      places.set(from.file, (places.get(from.file) ?? new Set()).add(to.file));
    }
    return places;
  }

  /** The only known card without a match that stood between the neighbours of a card without one. */
  #aloneBetweenNeighbours(found: number): number | undefined {
    const { file } = this.#found[found] as NoteCard;
    /** The place in the known file of the neighbour's card; the file's edge if there is no neighbour. */
    const edgeOf = (neighbour: number, edge: number): number | undefined => {
      if (this.#found[neighbour]?.file !== file) return edge;
      const known = this.#match[neighbour];
      return known !== undefined && this.#known[known]?.file === file ? known : undefined;
    };
    const from = edgeOf(found - 1, -1);
    const to = edgeOf(found + 1, this.#known.length);
    if (from === undefined || to === undefined) return undefined;
    let only: number | undefined;
    for (let index = from + 1; index < to; index++) {
      const card = this.#known[index];
      if (card?.file !== file || card.gone || this.#taken.has(index)) continue;
      if (only !== undefined) return undefined;
      only = index;
    }
    return only;
  }
}

interface CardWords {
  readonly all: ReadonlySet<string>;
  readonly question: ReadonlySet<string>;
  readonly answer: ReadonlySet<string>;
  /** Where no other card has it. */
  onlyQuestion: string | undefined;
}

/** How much two cards have in common: a word that many cards have tells little. */
class Likeness {
  readonly #known: readonly CardWords[];
  readonly #found: readonly CardWords[];
  readonly #knownCounts: ReadonlyMap<string, number>;
  readonly #foundCounts: ReadonlyMap<string, number>;
  #byWord: Map<string, number[]> | undefined;

  constructor(known: readonly KnownCard[], found: readonly NoteCard[]) {
    this.#known = cardWords(known);
    this.#found = cardWords(found);
    this.#knownCounts = countsOf(this.#known);
    this.#foundCounts = countsOf(this.#found);
  }

  /** From 0 to 1: the share of the heavier card's words that both have. */
  score(known: number, found: number): number {
    const [a, b] = [this.#known[known], this.#found[found]];
    if (a === undefined || b === undefined) return 0;
    if (a.onlyQuestion !== undefined && a.onlyQuestion === b.onlyQuestion) return sameQuestion;
    // Exercises of one form are told apart by their numbers.
    if (otherNumbers(a.question, b.question) && otherNumbers(a.answer, b.answer)) return 0;
    if (this.#isAkin(a.question, b.question) && this.#isAkin(a.answer, b.answer))
      return this.#share(a.all, b.all);
    return a.answer.size > 0 && this.#share(a.answer, b.answer) === 1 ? similarInPlace : 0;
  }

  /** Whether two sides have something in common; all of the shorter one may be little. */
  #isAkin(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
    const [less, more] = a.size < b.size ? [a, b] : [b, a];
    const isPart = less.size > 0 && [...less].every((word) => more.has(word));
    return isPart || this.#share(a, b) >= similarOnEachSide;
  }

  /** 1 where there are no words at all. */
  #share(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
    let [common, ofA, ofB] = [0, 0, 0];
    for (const word of a) {
      ofA += this.#weight(word);
      if (b.has(word)) common += this.#weight(word);
    }
    for (const word of b) ofB += this.#weight(word);
    const most = Math.max(ofA, ofB);
    return most === 0 ? 1 : common / most;
  }

  /** The open known cards that share the rarest words with a card, each with its score. */
  candidates(found: number, open: readonly number[]): { readonly known: number; readonly score: number }[] {
    this.#byWord ??= this.#indexOf(open);
    const index = this.#byWord;
    const rarest = [...(this.#found[found]?.all ?? [])].sort((a, b) => this.#weight(b) - this.#weight(a));
    const cards = new Set<number>();
    for (const word of rarest) {
      if (cards.size >= mostCandidates) break;
      for (const known of (index.get(word) ?? []).slice(0, 5 * mostCandidates)) cards.add(known);
    }
    return [...cards].map((known) => ({ known, score: this.score(known, found) }));
  }

  #indexOf(open: readonly number[]): Map<string, number[]> {
    const index = new Map<string, number[]>();
    for (const known of open)
      for (const word of this.#known[known]?.all ?? []) {
        const cards = index.get(word);
        if (cards === undefined) index.set(word, [known]);
        else cards.push(known);
      }
    return index;
  }

  #weight(word: string): number {
    return 1 / Math.max(this.#knownCounts.get(word) ?? 0, this.#foundCounts.get(word) ?? 0, 1);
  }
}

function cardWords(cards: readonly NoteCard[]): readonly CardWords[] {
  const questions = new Map<string, CardWords[]>();
  const all = cards.map(({ sides }) => {
    const [question = "", ...answers] = sides.length === 1 ? clozeSides(sides[0] ?? "") : sides;
    const words: CardWords = {
      all: wordsOf(sides.join("\n")),
      question: wordsOf(question),
      answer: wordsOf(answers.join("\n")),
      onlyQuestion: undefined,
    };
    // A card of one side has no question of its own.
    if (sides.length > 1 && plain(question) !== "")
      questions.set(plain(question), [...(questions.get(plain(question)) ?? []), words]);
    return words;
  });
  for (const [question, [only, ...others]] of questions)
    if (only !== undefined && others.length === 0) only.onlyQuestion = question;
  return all;
}

/** Whether each of two texts has a number that the other one lacks. */
function otherNumbers(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const lacks = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
    [...one].some((word) => !other.has(word) && /\p{N}/u.test(word));
  return lacks(a, b) && lacks(b, a);
}

/** What a sentence with deletions asks, and what it deletes. */
const clozeSides = (text: string): string[] => {
  const deleted = [...text.matchAll(clozePattern)].map(([, answer = ""]) => answer);
  return deleted.length === 0 ? [text] : [text.replace(clozePattern, "…"), deleted.join("\n")];
};

const clozePattern = /\{\{(?:\d+::)?(.*?)\}\}/g;

function countsOf(cards: readonly CardWords[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { all } of cards) for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
