import { CodecError, refuseBelow } from "./codec.ts";

/** A map that was cut out of a JSON text. */
interface CutMap<Place> {
  readonly text: string;
  readonly place: Place;
}

/** A list or map that is open. */
export interface Container {
  readonly isList: boolean;
  /** The number of the item that is being read. */
  index: number;
  /** The first characters of the key of the value that is being read. */
  key: string;
}

const longestKey = 40;

/** What is left in the place of a map that was cut out, so that the rest is JSON where the text is. */
export const cutMark = "\ue000cut";

/**
 * Takes maps out of a JSON text that comes in pieces, so that it need not be in memory as a whole. Only strings and brackets
 * are looked at; whether the text is JSON is found out when its parts are parsed.
 */
export class JsonCutter<Place> {
  readonly #placeOf: (open: readonly Container[]) => Place | undefined;
  readonly #open: Container[] = [];
  #place: Place | undefined;
  #rest: string[] = [];
  #map: string[] = [];
  #found: CutMap<Place>[] = [];
  /** How many containers of a map that is cut out are open. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** What the last string outside of cut maps begins with. */
  #string = "";
  #held = 0;

  /** @param placeOf where a map is that begins within these containers; undefined for one that stays */
  constructor(placeOf: (open: readonly Container[]) => Place | undefined) {
    this.#placeOf = placeOf;
  }

  /**
   * The maps that end in a piece of the text.
   *
   * @throws CodecError for text that is nested too deep
   */
  take(piece: string): readonly CutMap<Place>[] {
    let from = 0;
    const cut = (at: number): string => {
      const part = piece.slice(from, at);
      from = at;
      this.#held += part.length;
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
      } else if (code === openBrace && this.#begins()) {
        this.#rest.push(cut(at));
        this.#depth = 1;
      } else this.#takeOutside(code);
    }
    (this.#depth > 0 ? this.#map : this.#rest).push(cut(piece.length));
    return this.#found;
  }

  /** How many characters are in memory: those of the rest, and of a map that has not ended. */
  get held(): number {
    return this.#held;
  }

  /** The text without the maps. @throws CodecError where it ends within one */
  get rest(): string {
    if (this.#depth > 0) throw new CodecError("not JSON: Unexpected end of JSON input");
    return this.#rest.join("");
  }

  #begins(): boolean {
    this.#place = this.#placeOf(this.#open);
    return this.#place !== undefined;
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
      refuseBelow(this.#open.length + 1);
      this.#open.push({ isList: code === openBracket, index: 0, key: "" });
    } else if (code === closeBrace || code === closeBracket) this.#open.pop();
    else if (code === colon && within !== undefined) within.key = this.#string;
    else if (code === comma && within !== undefined) within.index++;
  }

  #end(last: string): void {
    this.#map.push(last);
    const text = this.#map.join("");
    this.#map = [];
    this.#held -= text.length;
    this.#found.push({ text, place: this.#place as Place });
    this.#rest.push(JSON.stringify(cutMark));
  }
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
