/** The braces of a cloze deletion, between parts of HTML. */
export interface Brace {
  readonly opens: boolean;
  /** A placeholder for its markdown. */
  readonly kept: string;
}

/** Tags of elements that become delimiters of markdown, or stay tags. */
const markup = /<(\/?)(b|strong|i|em|u|s|del|mark|kbd|sub|sup|code)(?:\s[^<>]*)?>/gi;

/** Bounds for hostile fields, since an element may be repeated in every deletion. */
const mostElements = 10;
const longest = 100_000;

/**
 * Joins HTML and the braces of deletions, so that no element crosses a brace: `{{1::<b>a}} b</b>` becomes
 * `{{1::<b>a</b>}}<b> b</b>`. In markdown a delimiter inside a deletion cannot close one outside.
 */
export function withoutCrossing(parts: readonly (string | Brace)[]): string {
  const length = parts.reduce((sum, part) => sum + (typeof part === "string" ? part.length : 0), 0);
  if (length > longest) return parts.map((part) => (typeof part === "string" ? part : part.kept)).join("");
  const splitter = new Splitter();
  for (const part of parts) splitter.add(part);
  return splitter.result();
}

class Splitter {
  readonly #written: string[] = [];
  /** The names of the elements that are open. */
  readonly #elements: string[] = [];
  /** The open deletions: the index of what is written before each, and how many elements are open outside it. */
  readonly #deletions: { readonly at: number; outside: number }[] = [];

  add(part: string | Brace): void {
    if (typeof part === "string") {
      for (const [, slash, name = ""] of part.matchAll(markup)) this.#tag(slash === "/", name.toLowerCase());
      this.#written.push(part);
    } else if (part.opens) {
      this.#deletions.push({ at: this.#written.length, outside: this.#elements.length });
      this.#written.push("", part.kept, "");
    } else {
      const inside = this.#elements.slice(this.#deletions.pop()?.outside);
      this.#written.push(endTags(inside), part.kept, startTags(inside));
    }
  }

  result(): string {
    return this.#written.join("");
  }

  #tag(ends: boolean, name: string): void {
    if (!ends) {
      if (this.#elements.length < mostElements) this.#elements.push(name);
      return;
    }
    const index = this.#elements.lastIndexOf(name);
    if (index < 0) return;
    for (const deletion of this.#deletions) {
      if (deletion.outside <= index) continue;
      const crossing = this.#elements.slice(index, deletion.outside);
      this.#written[deletion.at] += endTags(crossing);
      this.#written[deletion.at + 2] = startTags(crossing) + this.#written[deletion.at + 2];
      deletion.outside = index;
    }
    this.#elements.splice(index, 1);
  }
}

const startTags = (names: readonly string[]) => names.map((name) => `<${name}>`).join("");
const endTags = (names: readonly string[]) =>
  names
    .toReversed()
    .map((name) => `</${name}>`)
    .join("");
