import { fromParse5 } from "hast-util-from-parse5";
import { type Schema, sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import { parseFragment } from "parse5";
import temml from "temml";
import { playerOf } from "../cards/content-type.ts";
import type { EmbeddedCard } from "../cards/embeds.ts";
import { imageFile, lacksFile, webUrl } from "../cards/links.ts";
import type { Inline } from "../cards/nodes.ts";
import { parseSide } from "../cards/parse.ts";
import type { ClozeView, Side } from "../cards/passes.ts";
import { HtmlWriter } from "../cards/to-html.ts";
import type { Card } from "../schema/index.ts";
import { escapeHtml } from "../stats/report/svg.ts";

export interface SideOptions {
  /** The card whose files are shown. */
  readonly card: Pick<Card, "id" | "attachments">;
  readonly cloze?: ClozeView | undefined;
  /** The cards that it shows in itself; absent within one of them. */
  readonly embedded?: ReadonlyMap<string, EmbeddedCard> | undefined;
}

/** A side as HTML that a page may show, whoever wrote the card: it runs nothing and asks no other host for anything. */
export function sideHtml(side: Side, options: SideOptions): string {
  try {
    const blocks = parseSide(side.source, { placeholders: side.placeholders ?? [], details: "tags" });
    const html = new PageWriter(options).side(blocks);
    return toHtml(sanitize(fromParse5(parseFragment(html)), schema));
  } catch (error) {
    // It is nested too deep: one card must not end the session.
    if (!(error instanceof RangeError)) throw error;
    return `<pre tabindex="0">${escapeHtml(side.source)}</pre>`;
  }
}

/** Where a file of a card is, relative to the page. */
const fileUrl = (cardId: string, name: string): string =>
  `files/${encodeURIComponent(cardId)}/${encodeURIComponent(name).replace(/'/g, "%27")}`;

class PageWriter extends HtmlWriter {
  readonly #options: SideOptions;
  /** How much of embedded cards is shown: more may hold up the service. */
  #embedded = 0;

  constructor(options: SideOptions) {
    super();
    this.#options = options;
  }

  protected override text(text: string): string {
    return escapeHtml(text);
  }

  /** A card within a card is a block. */
  protected override paragraph(text: string): string {
    return text.includes('<div class="embed">') ? `<div>${text}</div>` : super.paragraph(text);
  }

  protected override pre(_language: string, text: string): string {
    return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`;
  }

  protected override math(source: string, display: boolean): string {
    try {
      const math = temml.renderToString(source, { displayMode: display, throwOnError: true, trust: false });
      // A wide one scrolls, with the keys of the keyboard, too.
      return display ? math.replace("<math", '<math tabindex="0"') : math;
    } catch {
      return `<code>${escapeHtml(source)}</code>`;
    }
  }

  protected override raw(text: string): string {
    return `<pre tabindex="0">${escapeHtml(text)}</pre>`;
  }

  protected override cut(characters: number): string {
    return `<p>… ${characters} more characters</p>`;
  }

  protected override link(href: string): string | undefined {
    const file = href.startsWith("@media/") ? imageFile(href) : undefined;
    if (file !== undefined) return `href="${escapeHtml(fileUrl(this.#options.card.id, file))}" download=""`;
    const url = webUrl(href);
    return url === undefined ? undefined : external(url);
  }

  protected override image(src: string, alt: string): string {
    const { card } = this.#options;
    const file = imageFile(src);
    if (file === undefined) {
      // The host would learn who learns what, and when.
      const url = webUrl(src);
      const label = `picture: ${alt || (url === undefined ? "not shown" : new URL(url).host)}`;
      return url === undefined ? `[${escapeHtml(label)}]` : `<a ${external(url)}>${escapeHtml(label)}</a>`;
    }
    if (lacksFile(card, file)) return `[${escapeHtml(`file missing: ${file}`)}]`;
    const [url, label] = [escapeHtml(fileUrl(card.id, file)), escapeHtml(alt || file)];
    const player = playerOf(file);
    if (player !== undefined)
      return `<${player} controls preload="none" src="${url}" aria-label="${label}"></${player}>`;
    return `<img src="${url}" alt="${label}">`;
  }

  protected override cloze({ group, children }: Inline & { type: "cloze" }): string {
    const { cloze } = this.#options;
    if (cloze?.group !== group) return this.inlines(children);
    // Always of the same length, so that it reveals nothing.
    return cloze.hidden ? '<b class="cloze">[…]</b>' : `<mark class="cloze">${this.inlines(children)}</mark>`;
  }

  protected override reference({ title, target }: Inline & { type: "reference" }): string {
    const url = webUrl(target);
    const text = escapeHtml(title ?? target);
    return url === undefined ? `<span class="ref">${text}</span>` : `<a ${external(url)}>${text}</a>`;
  }

  protected override embed({ target, side }: Inline & { type: "embed" }): string {
    const found = this.#embedded > 200_000 ? undefined : this.#options.embedded?.get(target);
    if (found === undefined) return `<span class="ref">${escapeHtml(target)}</span>`;
    const { sides } = found.presentation;
    const shown = side === null ? sides : sides.slice(side - 1, side);
    const options = { card: { id: target } };
    const html = `<div class="embed">${shown.map((each) => sideHtml(each, options)).join("<hr>")}</div>`;
    this.#embedded += html.length;
    return html;
  }

  protected override tag(name: string): string {
    return `<span class="tag">#${escapeHtml(name)}</span>`;
  }

  protected override placeholder(name: string): string {
    return `<i>[${escapeHtml(name)}]</i>`;
  }
}

const external = (url: string): string =>
  `href="${escapeHtml(url)}" target="_blank" rel="noopener noreferrer nofollow"`;

const elements =
  "a audio b blockquote br code details div h1 h2 h3 h4 h5 h6 hr i img kbd li mark ol p pre rt ruby s span sub summary sup table tbody td th thead tr u ul video";
const mathElements =
  "math merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none menclose";
const mathAttributes =
  "accent accentunder columnalign columnlines columnspacing depth dir display displaystyle fence form height largeop linethickness lspace mathsize mathvariant maxsize minsize movablelimits notation rowlines rowspacing rspace scriptlevel separator stretchy symmetric voffset width";

/** What may be on a page: the elements that `PageWriter` writes, and no attribute that runs, styles or loads from elsewhere. */
const schema: Schema = {
  tagNames: `${elements} ${mathElements}`.split(" "),
  attributes: {
    ...Object.fromEntries(mathElements.split(" ").map((name) => [name, mathAttributes.split(" ")])),
    math: [...mathAttributes.split(" "), ["tabIndex", 0]],
    a: [
      ["href", /^(?:https?:\/\/|files\/)/],
      ["target", "_blank"],
      ["rel", "noopener", "noreferrer", "nofollow"],
      ["download", ""],
    ],
    img: [["src", /^files\//], "alt"],
    audio: [["src", /^files\//], "controls", ["preload", "none"], "ariaLabel"],
    video: [["src", /^files\//], "controls", ["preload", "none"], "ariaLabel"],
    ol: ["start"],
    pre: [["tabIndex", 0]],
    b: [["className", "cloze"]],
    mark: [["className", "cloze"]],
    span: [["className", "tag", "ref"]],
    div: [["className", "embed"]],
  },
  protocols: { href: ["http", "https"] },
  ancestors: {},
  strip: ["script", "style"],
};
