import { type Align, type Box, grid, text } from "./box.ts";
import { chemistry } from "./chemistry.ts";
import {
  type Atom,
  attached,
  enclosed,
  flat,
  fraction,
  join,
  marked,
  ord,
  root,
  sign,
  space,
  tight,
} from "./compose.ts";
import {
  accents,
  brackets,
  glyphs,
  ignored,
  inAlphabet,
  kindOf,
  removed,
  texts,
  transparent,
} from "./symbols.ts";

const deepest = 40;

/** @param linear whether a matrix is one row of text */
export function readFormula(source: string, linear: boolean): Box {
  return new Reader(source, linear).rows("aligned", () => false).box;
}

/** Reads a formula from its beginning to its end; never throws, whatever the source. */
class Reader {
  readonly #tokens: readonly string[];
  readonly #linear: boolean;
  #at = 0;
  #depth = 0;

  constructor(source: string, linear: boolean) {
    this.#tokens = source.match(/\\(?:[A-Za-z]+\*?|[\s\S])|\s+|[\s\S]/gu) ?? [];
    this.#linear = linear;
  }

  get #next(): string | undefined {
    return this.#tokens[this.#at];
  }

  #skipSpaces(): void {
    while (this.#next?.trim() === "") this.#at++;
  }

  /** Pieces up to a token that ends them, which is left. */
  #list(ends: (token: string) => boolean): Atom[] {
    const atoms: Atom[] = [];
    for (let token = this.#next; token !== undefined && !ends(token); token = this.#next) {
      const atom = this.#scripted();
      if (atom !== undefined) atoms.push(atom);
    }
    return atoms;
  }

  /** A piece with what is raised and lowered at it. */
  #scripted(): Atom | undefined {
    let atom =
      this.#next === "^" || this.#next === "_" ? { box: text(""), kind: "ord" as const } : this.#atom();
    const scripts = { "^": "", _: "" };
    for (;;) {
      const from = this.#at;
      this.#skipSpaces();
      const token = this.#next;
      if (token === "'" && atom !== undefined) {
        this.#at++;
        scripts["^"] += "′";
      } else if ((token === "^" || token === "_") && atom !== undefined) {
        this.#at++;
        scripts[token] += flat(tight(this.#argument()));
      } else {
        this.#at = from;
        break;
      }
    }
    if (atom === undefined) return undefined;
    scripts["^"] = scripts["^"].replaceAll("′′", "″");
    for (const place of ["_", "^"] as const)
      if (scripts[place] !== "") atom = attached(atom, scripts[place], place);
    return atom;
  }

  /** The argument of a command: a group in braces, or one piece. */
  #argument(): Atom[] {
    this.#skipSpaces();
    if (this.#next === "{") return this.#group();
    if (this.#next === undefined || this.#next === "}") return [];
    const atom = this.#atom();
    return atom === undefined ? [] : [atom];
  }

  #group(): Atom[] {
    this.#at++;
    if (++this.#depth > deepest) this.#at = this.#tokens.length;
    const atoms = this.#list((token) => token === "}");
    this.#at++;
    this.#depth--;
    return atoms;
  }

  /** The source of a group in braces, or one token. */
  #raw(open = "{", close = "}"): string {
    this.#skipSpaces();
    if (this.#next !== open) return open === "{" ? (this.#tokens[this.#at++] ?? "") : "";
    let depth = 0;
    let raw = "";
    for (; this.#next !== undefined; this.#at++) {
      const token = this.#next;
      if (token === open) depth++;
      if (token === close && --depth === 0) break;
      raw += raw === "" && token === open ? "" : token;
    }
    this.#at++;
    return raw;
  }

  #atom(): Atom | undefined {
    const token = this.#tokens[this.#at++] ?? "";
    if (token.trim() === "" || token === "&") return undefined;
    if (token === "{") {
      this.#at--;
      return { box: join(this.#group()), kind: "ord" };
    }
    if (token === "}") return undefined;
    if (token === "~") return space(" ");
    if (token === "'") return { box: text("′"), kind: "ord" };
    if (!token.startsWith("\\")) return { box: text(token), kind: kindOf(token) };
    const name = token.slice(1);
    if (!/^[A-Za-z]/.test(name)) return sign(name);
    return this.#command(name);
  }

  #command(name: string): Atom | undefined {
    const glyph = glyphs.get(name);
    if (glyph !== undefined)
      return glyph.kind === "space" ? space(glyph.text) : { box: text(glyph.text), kind: glyph.kind };
    if (ignored.has(name)) return undefined;
    if (transparent.has(name))
      return { box: join(this.#argument()), kind: name === "operatorname*" ? "op" : "ord" };
    if (texts.has(name)) {
      const raw = this.#raw()
        .replace(/\$/g, "")
        .replace(/\\([ ,;:!%$&#_{}])/g, "$1");
      return { box: text(raw), kind: name === "operatorname" ? "op" : "ord" };
    }
    if (removed.has(name)) {
      this.#raw();
      return undefined;
    }
    const accent = accents.get(name);
    if (accent !== undefined) return ord(marked(flat(this.#argument()), accent));
    const letters = inAlphabet(name, "");
    if (letters !== undefined) return ord(inAlphabet(name, flat(this.#argument())) ?? "");
    return this.#structure(name);
  }

  /** A command with arguments of its own. */
  #structure(name: string): Atom | undefined {
    switch (name) {
      case "frac":
      case "dfrac":
      case "tfrac":
      case "cfrac":
        return fraction(this.#argument(), this.#argument());
      case "binom":
      case "dbinom":
        return ord(`(${flat(this.#argument())} choose ${flat(this.#argument())})`);
      case "sqrt":
        return root(this.#raw("[", "]"), this.#argument());
      case "ce":
        return ord(chemistry(this.#raw()));
      case "not":
        return { box: text(`${flat(this.#argument())}\u0338`.normalize("NFC")), kind: "rel" };
      case "pmod":
        return ord(` (mod ${flat(this.#argument())})`);
      case "bmod":
        return { box: text("mod"), kind: "rel" };
      case "tag":
        return ord(`  (${this.#raw()})`);
      case "textcolor":
        this.#raw();
        return { box: join(this.#argument()), kind: "ord" };
      case "overset":
      case "stackrel":
        return this.#stacked("^");
      case "underset":
        return this.#stacked("_");
      case "xrightarrow":
      case "xleftarrow": {
        const below = this.#raw("[", "]");
        const label = [flat(this.#argument()), below].filter((each) => each !== "").join("; ");
        return { box: text(name === "xleftarrow" ? `←[${label}]` : `→[${label}]`), kind: "rel" };
      }
      case "left":
        return this.#delimited();
      case "right":
        this.#delimiter();
        return undefined;
      case "begin":
        return this.#environment();
      case "end":
        this.#raw();
        return undefined;
      default:
        return ord(this.#next === "{" ? `\\${name}{${this.#raw()}}` : `\\${name}`);
    }
  }

  #stacked(place: "^" | "_"): Atom {
    const label = flat(tight(this.#argument()));
    const base = this.#argument();
    return attached({ box: join(base), kind: base.at(0)?.kind ?? "ord" }, label, place);
  }

  #delimiter(): string {
    this.#skipSpaces();
    const token = this.#tokens[this.#at++] ?? "";
    if (token === ".") return "";
    const name = token.slice(1);
    return token.startsWith("\\") ? (glyphs.get(name)?.text ?? name.replace("|", "‖")) : token;
  }

  #delimited(): Atom {
    const open = this.#delimiter();
    const { box } = this.rows("", (token) => token === "\\right");
    if (this.#next === "\\right") this.#at++;
    return { box: enclosed(open, box, this.#delimiter()), kind: "ord" };
  }

  #environment(): Atom {
    const name = this.#raw().replace("*", "");
    const columns = name === "array" ? this.#raw().replace(/[^lcr]/g, "") : "";
    if (++this.#depth > deepest) this.#at = this.#tokens.length;
    const { box } = this.rows(name, (token) => token === "\\end", columns);
    this.#depth--;
    if (this.#next === "\\end") {
      this.#at++;
      this.#raw();
    }
    const [open = "", close = ""] = (Object.hasOwn(brackets, name) && brackets[name]) || [];
    return { box: enclosed(open, box, close), kind: "ord" };
  }

  /** Rows of cells, between `\\` and `&`, of an environment or of the whole formula. */
  rows(environment: string, ends: (token: string) => boolean, columns = ""): Atom {
    const cells: Atom[][][] = [[]];
    for (;;) {
      cells.at(-1)?.push(this.#list((token) => ends(token) || token === "&" || token === "\\\\"));
      const token = this.#next;
      if (token === undefined || ends(token)) break;
      this.#at++;
      if (token === "\\\\") {
        this.#raw("[", "]");
        cells.push([]);
      }
    }
    const filled = cells.filter((row) => row.some((cell) => cell.length > 0));
    if (filled.length <= 1 && (filled[0]?.length ?? 0) <= 1)
      return { box: join(filled[0]?.[0] ?? []), kind: "ord" };
    const boxes = filled.map((row) =>
      row.map((cell) => join(cell, row.length > 1 && isAligned(environment))),
    );
    if (this.#linear)
      return ord(
        boxes
          .map((row) => row.map((box) => box.rows.join(" ")).join(isAligned(environment) ? "" : " "))
          .join("; "),
      );
    const { align, gap } = layout(environment, columns);
    return { box: grid(boxes, align, gap), kind: "ord" };
  }
}

const isAligned = (environment: string) => /^(?:align|aligned|alignat|split|eqnarray)$/.test(environment);

function layout(
  environment: string,
  columns: string,
): { align: (column: number) => Align; gap: (column: number) => number } {
  if (isAligned(environment))
    return {
      align: (column) => (column % 2 === 0 ? "right" : "left"),
      gap: (column) => (column % 2 === 0 ? 3 : 0),
    };
  const named: Readonly<Record<string, Align>> = { l: "left", c: "center", r: "right" };
  if (columns !== "") return { align: (column) => named[columns[column] ?? "c"] ?? "center", gap: () => 2 };
  const left = /^(?:cases|rcases|gather|gathered|)$/.test(environment);
  return { align: () => (left ? "left" : "center"), gap: () => 2 };
}
