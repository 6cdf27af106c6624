import { Chalk, type ChalkInstance } from "chalk";
import type { Line, Style } from "./runs.ts";

/** 0: no escape sequences at all, 1: 16 colours, 2: 256, 3: all. */
export type ColourLevel = 0 | 1 | 2 | 3;

/** Turns lines into strings with escape sequences; no style carries over to the next line. */
export function createPainter(level: ColourLevel, hyperlinks: boolean): (line: Line) => string {
  const chalk = new Chalk({ level });
  return (whole) => {
    const line = trimmed(whole);
    let painted = "";
    for (let at = 0; at < line.length; ) {
      const style = line[at]?.style ?? {};
      let text = "";
      while (at < line.length && line[at]?.style === style) text += line[at++]?.text ?? "";
      if (text === "") continue;
      if (style.drawn !== undefined) {
        painted += style.drawn;
        continue;
      }
      const shown = level === 0 ? text : brush(chalk, style)(text);
      painted += hyperlinks && style.link ? `\x1b]8;;${style.link}\x1b\\${shown}\x1b]8;;\x1b\\` : shown;
    }
    return painted;
  };
}

/** The line without the spaces at its end. */
function trimmed(line: Line): Line {
  const last = line.findLastIndex(({ text, style }) => style.drawn !== undefined || text.trimEnd() !== "");
  const end = line[last];
  if (end?.style.drawn !== undefined) return line.slice(0, last + 1);
  return end ? [...line.slice(0, last), { ...end, text: end.text.trimEnd() }] : [];
}

function brush(chalk: ChalkInstance, style: Style): ChalkInstance {
  let made = chalk;
  if (style.bold) made = made.bold;
  if (style.dim) made = made.dim;
  if (style.italic) made = made.italic;
  if (style.underline) made = made.underline;
  if (style.strike) made = made.strikethrough;
  if (style.marked) made = made.bgYellow.black;
  else if (style.colour) made = made[style.colour];
  return made;
}
