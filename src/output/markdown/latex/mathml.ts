import { type Align, type Box, grid, text } from "./box.ts";
import {
  type Atom,
  attached,
  enclosed,
  flat,
  fraction,
  join,
  type Kind,
  marked,
  ord,
  root,
  space,
  tight,
} from "./compose.ts";

/** A node of MathML, as Temml makes it. */
export interface MathNode {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, string>>;
  readonly children?: readonly MathNode[];
}

/** A formula as rows of text. @param linear whether a matrix is one row */
export const mathRows = (node: MathNode, linear: boolean): readonly string[] =>
  join(atomsOf(node, linear)).rows;

/** Signs over a letter, as combining characters. */
const accents: ReadonlyMap<string, string> = new Map([
  ..."ˆ\u0302 ^\u0302 ˜\u0303 ~\u0303 ‾\u0305 ¯\u0305 →\u20d7 ˙\u0307 ¨\u0308 ´\u0301 `\u0300 ˇ\u030c ˘\u0306 ˚\u030a"
    .split(" ")
    .map(([sign = "", mark = ""]): [string, string] => [sign, mark]),
]);

const arrow = /^[\u2190-\u21ff\u27f0-\u27ff]$/;

function atomsOf(node: MathNode, linear: boolean): readonly Atom[] {
  const { type, attributes = {}, children = [] } = node;
  const inside = (nodes: readonly MathNode[] = children): readonly Atom[] =>
    nodes.flatMap((each, index) => {
      const atoms = atomsOf(each, linear);
      return isApplied(nodes[index + 1]) ? atoms.map(({ box }) => ({ box, kind: "op" as const })) : atoms;
    });
  const child = (index: number) => inside(children.slice(index, index + 1));
  const [first, second] = children;
  switch (type) {
    case "mo":
      return operator(textOf(node), attributes);
    case "mi":
    case "mn":
      return textOf(node) === "" ? [] : [ord(textOf(node))];
    case "mtext":
      return [{ box: text(textOf(node)), kind: node.style?.["color"] === undefined ? "ord" : "op" }];
    case "mspace": {
      const width = Number.parseFloat(attributes["width"] ?? "0");
      return width < 0.1 ? [] : [space(width < 0.9 ? " " : "  ".repeat(Math.round(width)))];
    }
    case "mphantom":
      return [];
    case "mfrac":
      if (attributes["linethickness"] === undefined) return [fraction(child(0), child(1))];
      return [ord(`${flat(child(0))} choose ${flat(child(1))}`)];
    case "msqrt":
      return [root("", inside())];
    case "mroot":
      return [root(flat(child(1)), child(0))];
    case "menclose": {
      const mark = { top: "\u0305", bottom: "\u0332" }[attributes["notation"] ?? ""];
      return mark === undefined ? inside() : [ord(marked(flat(inside()), mark))];
    }
    case "msup":
    case "msub":
    case "msubsup":
      return scripted(child(0), type === "msup" ? ["^"] : ["_", "^"], children.slice(1), linear);
    case "mover":
    case "munder":
    case "munderover":
      return first && second ? over(type, first, second, children.slice(1), linear) : inside();
    case "mtable":
      return [{ box: table(children, linear), kind: "ord" }];
    default: {
      // What stands between brackets is one piece.
      const [atoms, last] = [inside(), children.at(-1)?.attributes];
      if (type !== "mrow" || first?.attributes?.["fence"] === undefined || last?.["fence"] === undefined)
        return atoms;
      const within = join(inside(children.slice(1, -1)));
      if (within.rows.length === 1) return atoms;
      return [{ box: enclosed(textOf(first), within, textOf(children.at(-1))), kind: "ord" }];
    }
  }
}

/** Whether the sign comes after the name of a function. */
const isApplied = (node: MathNode | undefined) => node?.children?.[0]?.text === "\u2061";

/** Long arrows are short ones, since terminals draw their glyphs over the next cell. */
const signs: ReadonlyMap<string, string> = new Map(
  [..."⟵⟶⟷⟸⟹⟺⟼\u2212\u00a0\u2061"].map((sign, at) => [sign, [..."←→↔⇐⇒⇔↦- "][at] ?? ""]),
);

const textOf = (node: MathNode | undefined): string =>
  `${node?.text ?? ""}${(node?.children ?? []).map(textOf).join("")}`
    .normalize("NFC")
    .replace(/[\u27f5-\u27fc\u2212\u00a0\u2061]/g, (sign) => signs.get(sign) ?? sign);

function operator(sign: string, { fence, form, separator, lspace }: MathNode["attributes"] & {}): Atom[] {
  if (sign === "" && fence === undefined) return [];
  const is = (kind: Kind): Atom[] => [{ box: text(sign), kind }];
  if (fence !== undefined) return is(form === "prefix" ? "open" : form === "postfix" ? "close" : "ord");
  if (separator !== undefined) return is("punct");
  if (form === "postfix") return is("close");
  if (form === "prefix" || lspace?.startsWith("0em") || /^[′%/]$/.test(sign)) return is("ord");
  return is(/^[\u220f-\u2211\u222b-\u2233\u22c0-\u22c3\u2a00-\u2a1f]$/.test(sign) ? "op" : "rel");
}

/** A piece with what is raised and lowered at it. */
function scripted(
  base: readonly Atom[],
  places: readonly ("^" | "_")[],
  scripts: readonly MathNode[],
  linear: boolean,
): Atom[] {
  let atom: Atom = base.length === 1 && base[0] ? base[0] : { box: join(base), kind: "ord" };
  const marks = scripts.map((node, index) => ({ node, place: places[index] ?? "^" }));
  // Without a base they are those of an isotope.
  for (const { node, place } of flat(base) === "" ? marks.toReversed() : marks) {
    const label = flat(tight(atomsOf(node, linear))).replace(/′′/g, "″");
    if (label !== "") atom = attached(atom, label, place);
  }
  return [atom];
}

function over(
  type: string,
  base: MathNode,
  sign: MathNode,
  labels: readonly MathNode[],
  linear: boolean,
): readonly Atom[] {
  const [below, atoms] = [textOf(base), atomsOf(base, linear)];
  if (sign.type === "mo") {
    const accent = accents.get(textOf(sign));
    if (accent !== undefined && type === "mover") return [ord(marked(flat(atoms), accent))];
    // A brace, which its label follows.
    if (/^[⏞⏟⏠⏡⏜⏝_‾]$/.test(textOf(sign))) return atoms;
  }
  if (sign.type === "mspace") return atoms;
  if (!arrow.test(below)) return scripted(atoms, type === "mover" ? ["^"] : ["_", "^"], labels, linear);
  const label = labels.map((each) => flat(tight(atomsOf(each, linear))).trim()).filter((each) => each !== "");
  return [{ box: text(label.length === 0 ? below : `${below}[${label.join("; ")}]`), kind: "rel" }];
}

/** Rows of cells, side by side or, where that is wanted, below each other. */
function table(rows: readonly MathNode[], linear: boolean): Box {
  const [{ children: columns = [] } = {}] = rows;
  const isNear = (column: number) => columns[column]?.style?.["paddingLeft"] === "0em";
  const cells = rows.map(({ children = [] }) =>
    children.map((cell, column) => join(atomsOf(cell, linear), column > 0 && isNear(column))),
  );
  if (linear) {
    const line = (row: readonly Box[]) =>
      row
        .map(({ rows: [shown = ""] }, column) => (column === 0 || isNear(column) ? shown : ` ${shown}`))
        .join("");
    return text(cells.map(line).join("; ").trim());
  }
  const align = (column: number): Align => {
    const classes = columns[column]?.classes ?? [];
    if (classes.includes("tml-right")) return "right";
    return classes.includes("tml-left") || rows.every(({ children = [] }) => children.length === 1)
      ? "left"
      : "center";
  };
  return grid(cells, align, (column) => (isNear(column) ? 0 : 2));
}
