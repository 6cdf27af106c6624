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
  /** The known card of each one found, and the reverse. */
  readonly #match = new Map<NoteCard, KnownCard>();
  readonly #taken = new Map<KnownCard, NoteCard>();

  constructor(known: readonly KnownCard[], found: readonly NoteCard[]) {
    this.#known = known;
    this.#found = found;
  }

  run(): readonly (string | undefined)[] {
    this.#matchTexts((card) => `${card.file}\0${textOf(card)}`, false);
    this.#matchTexts(textOf, false);
    this.#matchTexts(textOf, true);
    this.#matchSimilar();
    return this.#found.map((card) => this.#match.get(card)?.id);
  }

  #take(found: NoteCard, known: KnownCard): void {
    this.#match.set(found, known);
    this.#taken.set(known, found);
  }

  get #openKnown(): KnownCard[] {
    return this.#known.filter((card) => !this.#taken.has(card));
  }

  get #openFound(): NoteCard[] {
    return this.#found.filter((card) => !this.#match.has(card));
  }

  /** Equal texts are matched in their order. */
  #matchTexts(keyOf: (card: NoteCard) => string, gone: boolean): void {
    const queues = new Map<string, KnownCard[]>();
    for (const card of this.#openKnown)
      if ((card.gone ?? false) === gone) queues.set(keyOf(card), [...(queues.get(keyOf(card)) ?? []), card]);
    for (const card of this.#openFound) {
      const known = queues.get(keyOf(card))?.shift();
      if (known !== undefined) this.#take(card, known);
    }
  }

  /** The most similar pair first; then those that are alone between the same neighbours of their file. */
  #matchSimilar(): void {
    const [open, others] = [this.#openKnown, this.#openFound];
    if (open.length === 0 || others.length === 0) return;
    const places = this.#placesOfFiles();
    const leastFor = ({ file: from }: KnownCard, { file: to }: NoteCard) =>
      from === to || places.get(from)?.has(to) === true ? similarEnough : similarElsewhere;
    const there = open.filter(({ gone }) => !gone);
    const likeness = new Likeness(this.#known, this.#found, there);
    const pairs = others.flatMap((found) =>
      [...likeness.candidates(found)].map((known) => ({
        known,
        found,
        score: likeness.score(known, found),
      })),
    );
    pairs.sort((a, b) => b.score - a.score);
    for (const { known, found, score } of pairs)
      if (score >= leastFor(known, found) && !this.#match.has(found) && !this.#taken.has(known))
        this.#take(found, known);
    for (const [at, found] of this.#found.entries()) {
      const known = this.#match.has(found) ? undefined : this.#aloneBetweenNeighbours(at, found.file);
      if (known !== undefined && likeness.score(known, found) >= similarInPlace) this.#take(found, known);
    }
  }

  /** The files in which cards of a file that is no longer there were found: it was renamed, merged or split. */
  #placesOfFiles(): ReadonlyMap<string, ReadonlySet<string>> {
    const there = new Set(this.#found.map(({ file }) => file));
    const places = new Map<string, Set<string>>();
    for (const [{ file, gone }, to] of this.#taken)
      if (!gone && !there.has(file)) places.set(file, (places.get(file) ?? new Set()).add(to.file));
    return places;
  }

  /** The only known card without a match that stood between the neighbours of a card without one. */
  #aloneBetweenNeighbours(at: number, file: string): KnownCard | undefined {
    /** The place in the known file of the neighbour's card; the file's edge if there is no neighbour. */
    const edgeOf = (neighbour: NoteCard | undefined, edge: number): number | undefined => {
      if (neighbour?.file !== file) return edge;
      const known = this.#match.get(neighbour);
      return known?.file === file ? this.#known.indexOf(known) : undefined;
    };
    const from = edgeOf(this.#found[at - 1], -1);
    const to = edgeOf(this.#found[at + 1], this.#known.length);
    if (from === undefined || to === undefined) return undefined;
    let only: KnownCard | undefined;
    for (let index = from + 1; index < to; index++) {
      const card = this.#known[index];
      if (card?.file !== file || card.gone || this.#taken.has(card)) continue;
      if (only !== undefined) return undefined;
      only = card;
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
  readonly #words: ReadonlyMap<NoteCard, CardWords>;
  readonly #knownCounts: ReadonlyMap<string, number>;
  readonly #foundCounts: ReadonlyMap<string, number>;
  /** The open known cards that have a word. */
  readonly #byWord = new Map<string, KnownCard[]>();

  constructor(known: readonly KnownCard[], found: readonly NoteCard[], open: readonly KnownCard[]) {
    const [ofKnown, ofFound] = [cardWords(known), cardWords(found)];
    this.#words = new Map([...ofKnown, ...ofFound]);
    this.#knownCounts = countsOf(ofKnown.values());
    this.#foundCounts = countsOf(ofFound.values());
    for (const card of open)
      for (const word of ofKnown.get(card)?.all ?? []) {
        const cards = this.#byWord.get(word);
        if (cards === undefined) this.#byWord.set(word, [card]);
        else cards.push(card);
      }
  }

  /** From 0 to 1: the share of the heavier card's words that both have. */
  score(known: KnownCard, found: NoteCard): number {
    const [a, b] = [this.#words.get(known), this.#words.get(found)];
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

  /** The open known cards that share the rarest words with a card. */
  candidates(found: NoteCard): ReadonlySet<KnownCard> {
    const words = [...(this.#words.get(found)?.all ?? [])];
    const cards = new Set<KnownCard>();
    for (const word of words.sort((a, b) => this.#weight(b) - this.#weight(a))) {
      if (cards.size >= mostCandidates) break;
      for (const known of (this.#byWord.get(word) ?? []).slice(0, 5 * mostCandidates)) cards.add(known);
    }
    return cards;
  }

  #weight(word: string): number {
    return 1 / Math.max(this.#knownCounts.get(word) ?? 0, this.#foundCounts.get(word) ?? 0, 1);
  }
}

function cardWords(cards: readonly NoteCard[]): ReadonlyMap<NoteCard, CardWords> {
  const questions = new Map<string, CardWords[]>();
  const all = new Map<NoteCard, CardWords>();
  for (const card of cards) {
    const { sides } = card;
    const [question = "", ...answers] = sides.length === 1 ? clozeSides(sides[0] ?? "") : sides;
    const words: CardWords = {
      all: wordsOf(sides.join("\n")),
      question: wordsOf(question),
      answer: wordsOf(answers.join("\n")),
      onlyQuestion: undefined,
    };
    all.set(card, words);
    // A card of one side has no question of its own.
    if (sides.length > 1 && plain(question) !== "")
      questions.set(plain(question), [...(questions.get(plain(question)) ?? []), words]);
  }
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

function countsOf(cards: Iterable<CardWords>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { all } of cards) for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
