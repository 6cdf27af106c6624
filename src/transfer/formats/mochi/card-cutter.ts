import { CodecError, deepestNesting } from "../../../codecs/index.ts";

/** The text of a card, and where it is listed. */
interface CutCard {
  readonly text: string;
  /** The number of the deck that lists it, from 0; undefined for a card at the top level. */
  readonly deck: number | undefined;
  /** In its list, from 0. */
  readonly number: number;
}

/** A list or map that is open. */
interface Container {
  readonly isList: boolean;
  /** The number of the item that is being read. */
  index: number;
  /** The key of the value that is being read. */
  key: string;
}

const list = "~#list";
const cardLists = ["~:cards", "~:decks ~:cards"];
const longestKey = 8;

/** What is left in the place of a card, so that the rest is JSON where the text is, and its cards keep their numbers. */
export const cutCard = "\ue000card";

/**
 * Takes the cards out of the text of a `data.json`, piece by piece: the maps in the list of cards at its top level, and in
 * those of its decks. Only strings and brackets are looked at; whether the text is JSON is found out when its parts are
 * parsed.
 */
export class CardCutter {
  readonly #open: Container[] = [];
  #rest: string[] = [];
  #card: string[] = [];
  #found: CutCard[] = [];
  /** How many containers of a card are open. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** What the last string outside of cards begins with. */
  #string = "";

  /**
   * The cards that end in a piece of the text.
   *
   * @throws CodecError for text that is nested too deep
   */
  take(piece: string): readonly CutCard[] {
    let from = 0;
    const cut = (at: number): string => {
      const part = piece.slice(from, at);
      from = at;
      return part;
    };
    this.#found = [];
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (this.#inString) this.#takeInString(code, piece, at);
      else if (code === quote) {
        this.#inString = true;
        this.#string = "";
      } else if (this.#depth > 0) {
        if (code === openBrace || code === openBracket) this.#depth++;
        else if ((code === closeBrace || code === closeBracket) && --this.#depth === 0)
          this.#end(cut(at + 1));
      } else if (code === openBrace && this.#isCardList()) {
        this.#rest.push(cut(at));
        this.#depth = 1;
      } else this.#takeOutside(code);
    }
    (this.#depth > 0 ? this.#card : this.#rest).push(cut(piece.length));
    return this.#found;
  }

  /** The text without the cards. */
  get rest(): string {
    return this.#rest.join("");
  }

  #takeInString(code: number, piece: string, at: number): void {
    if (code === quote && !this.#escaped) this.#inString = false;
    this.#escaped = code === backslash && !this.#escaped;
    if (this.#inString && this.#depth === 0 && this.#string.length < longestKey)
      this.#string += piece.charAt(at);
  }

  #takeOutside(code: number): void {
    const within = this.#open.at(-1);
    if (code === openBrace || code === openBracket) {
      if (this.#open.length >= deepestNesting)
        throw new CodecError(`nested more than ${deepestNesting} levels deep`);
      this.#open.push({ isList: code === openBracket, index: 0, key: "" });
    } else if (code === closeBrace || code === closeBracket) this.#open.pop();
    else if (code === colon && within !== undefined) within.key = this.#string;
    else if (code === comma && within !== undefined) within.index++;
  }

  /** Lists come plain or tagged, `{"~#list": […]}` or `["~#list", […]]`. */
  #isCardList(): boolean {
    if (!this.#open.at(-1)?.isList) return false;
    const keys = this.#open.filter(({ isList, key }) => !isList && key !== list).map(({ key }) => key);
    return cardLists.includes(keys.join(" "));
  }

  #end(text: string): void {
    this.#card.push(text);
    const holder = this.#open.findLastIndex(({ isList, key }) => !isList && key !== list);
    this.#found.push({
      text: this.#card.join(""),
      deck: this.#open.slice(0, holder).findLast(({ isList }) => isList)?.index,
      number: this.#open.at(-1)?.index ?? 0,
    });
    this.#card = [];
    this.#rest.push(JSON.stringify(cutCard));
  }
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
