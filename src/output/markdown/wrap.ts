import { clusters, displayWidth, expandTabs, fitting } from "../width.ts";
import type { Line, Run, Style } from "./runs.ts";

const parts = /\n|[ \t]+|[^ \t\n]+/g;
/** Scripts written without spaces: a line may end after any character, apart from the punctuation below. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60]/u;
const closing =
  /^[)\]}.,:;!?、。，．：；！？）］｝」』】〉》〕ー…‥・ぁぃぅぇぉっゃゅょァィゥェォッャュョ々]/u;
const opening = /[([{（［｛「『【〈《〔]$/u;

/**
 * Breaks runs into lines no wider than the width, at spaces and between the characters of scripts that have none; a word
 * that is wider than a line is cut between clusters, unless `cut` is false. Newlines break lines, other white space
 * becomes one space.
 */
export function wrapRuns(runs: readonly Run[], width: number, { cut = true } = {}): Line[] {
  const page = new Page(width, cut);
  for (const { text, style } of runs) {
    for (const [part] of text.matchAll(parts)) {
      if (part === "\n") page.newLine();
      else if (part[0] === " " || part[0] === "\t") page.space(style);
      else
        for (const [word, mayBreak] of words(part, page.pending, style.whole))
          page.add(word, style, mayBreak);
    }
  }
  return page.finish();
}

/** Cuts runs into lines at their newlines and at the width, keeping all white space: for code and the like. */
export function cutRuns(runs: readonly Run[], width: number): Line[] {
  const page = new Page(width, true);
  for (const { text, style } of runs)
    for (const [index, row] of expandTabs(text, page.used).split("\n").entries()) {
      if (index > 0) page.newLine();
      page.place(row, style);
    }
  return page.finish();
}

/**
 * The pieces of a word, each with whether a line may end before it.
 *
 * @param before what the word follows without a space
 * @param whole no line ends within the word, nor before its reading
 */
function* words(word: string, before: string, whole = false): Generator<[string, boolean]> {
  if (whole) {
    yield [word, !word.startsWith("(") && mayBreakBetween(before, word)];
    return;
  }
  if (!unspaced.test(word)) {
    yield [word, mayBreakBetween(before, word)];
    return;
  }
  let last = before;
  for (const cluster of clusters(word)) {
    yield [cluster, mayBreakBetween(last, cluster)];
    last = cluster;
  }
}

const mayBreakBetween = (before: string, after: string): boolean =>
  before !== "" &&
  (unspaced.test(after.slice(0, 2)) || unspaced.test(before.slice(-2))) &&
  !closing.test(after) &&
  !opening.test(before);

/** The lines being filled: a word waits until it is known where it ends, because styles change within words. */
class Page {
  readonly #width: number;
  readonly #lines: Run[][] = [[]];
  /** How many columns of the last line are taken. */
  used = 0;
  #word: Run[] = [];
  #wordWidth = 0;
  /** The style of the space before the word, if there is one. */
  #gap: Style | undefined;

  readonly #cut: boolean;

  constructor(width: number, cut: boolean) {
    this.#width = width;
    this.#cut = cut;
  }

  /** The end of the word that waits; "" after a space and at the beginning of a line. */
  get pending(): string {
    return this.#word.at(-1)?.text ?? "";
  }

  add(text: string, style: Style, mayBreak: boolean): void {
    if (mayBreak) this.#flush();
    this.#word.push({ text, style });
    this.#wordWidth += displayWidth(text);
  }

  space(style: Style): void {
    this.#flush();
    if (this.used > 0) this.#gap = style;
  }

  newLine(): void {
    this.#flush();
    this.#break();
  }

  /** White space is kept as it is. */
  place(text: string, style: Style): void {
    for (let rest = text; rest !== ""; ) {
      const fits = fitting(rest, this.#width - this.used);
      if (fits.length === 0 && this.used > 0) {
        this.#break();
        continue;
      }
      const length = fits.length || (clusters(rest.slice(0, 64))[0]?.length ?? 1);
      this.#push(rest.slice(0, length), style, fits.length ? fits.width : this.#width);
      rest = rest.slice(length);
    }
  }

  finish(): Line[] {
    this.#flush();
    return this.#lines;
  }

  #break(): void {
    this.#lines.push([]);
    this.used = 0;
    this.#gap = undefined;
  }

  #push(text: string, style: Style, width: number): void {
    const line = this.#lines.at(-1);
    const last = line?.at(-1);
    if (last?.style === style) line?.splice(-1, 1, { text: last.text + text, style });
    else line?.push({ text, style });
    this.used += width;
  }

  #flush(): void {
    if (this.#word.length === 0) return;
    const gap = this.#gap ? 1 : 0;
    if (this.used > 0 && this.used + gap + this.#wordWidth > this.#width) this.#break();
    else if (this.#gap) this.#push(" ", this.#gap, 1);
    for (const { text, style } of this.#word)
      if (this.#cut) this.place(text, style);
      else this.#push(text, style, displayWidth(text));
    this.#word = [];
    this.#wordWidth = 0;
    this.#gap = undefined;
  }
}
