import { displayWidth } from "../src/output/width.ts";
import type { Cell } from "../test/support/pty.ts";

/** A screen as an SVG: the window of a terminal, its text selectable. */

const cell = { width: 8.4, height: 18 } as const;
const margin = 14;
const bar = 30;
const background = "#1b1e25";
const foreground = "#d6dae3";
/** The sixteen colours of a terminal. */
const palette = [
  "#1b1e25 #e06c75 #7ec97f #e5c07b #6aa9f0 #c678dd #56c2cf #d6dae3",
  "#6b7280 #ff8a93 #98e09a #ffd98f #8fc2ff #e09bf5 #7fe0ea #ffffff",
].flatMap((row) => row.split(" "));

export function screenSvg(rows: readonly (readonly Cell[])[], title: string): string {
  const columns = Math.max(...rows.map((row) => row.reduce((sum, each) => sum + each.width, 0)));
  const width = Math.round(columns * cell.width + 2 * margin);
  const height = Math.round(rows.length * cell.height + bar + margin);
  const body = rows.map((row, index) => rowSvg(row, bar + index * cell.height)).join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<rect width="${width}" height="${height}" rx="10" fill="${background}"/>
<g fill="#4b5160"><circle cx="18" cy="15" r="5"/><circle cx="36" cy="15" r="5"/><circle cx="54" cy="15" r="5"/></g>
<text x="${width / 2}" y="19" fill="#8a91a0" font-family="system-ui,sans-serif" font-size="12" text-anchor="middle">${escapeXml(title)}</text>
<g font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="14">
${body}
</g>
</svg>
`;
}

function rowSvg(row: readonly Cell[], top: number): string {
  let column = 0;
  const parts: string[] = [];
  for (let start = 0; start < row.length; ) {
    const first = row[start] as Cell;
    let end = start;
    let columns = 0;
    while (end < row.length && sameStyle(row[end] as Cell, first)) {
      columns += (row[end] as Cell).width;
      end += 1;
    }
    const text = row
      .slice(start, end)
      .map((each) => each.text)
      .join("");
    parts.push(...runSvg(text, first, column, columns, top));
    column += columns;
    start = end;
  }
  return parts.join("");
}

function runSvg(text: string, style: Cell, column: number, columns: number, top: number): string[] {
  const [front, back] = style.inverse
    ? [style.background ?? background, style.colour ?? foreground]
    : [style.colour ?? foreground, style.background];
  const x = (at: number) => (margin + at * cell.width).toFixed(1);
  const parts: string[] = [];
  if (back !== undefined)
    parts.push(
      `<rect x="${x(column)}" y="${top}" width="${(columns * cell.width).toFixed(1)}" height="${cell.height}" fill="${css(back)}"/>`,
    );
  const weight = style.bold ? ' font-weight="bold"' : "";
  const slant = style.italic ? ' font-style="italic"' : "";
  const opacity = style.dim ? ' opacity="0.6"' : "";
  // Word by word: browsers collapse spaces, and their fonts differ in width.
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    const length = (displayWidth(word) * cell.width).toFixed(1);
    parts.push(
      `<text x="${x(column + displayWidth(text.slice(0, index)))}" y="${top + 14}" textLength="${length}" lengthAdjust="spacingAndGlyphs" fill="${css(front)}"${weight}${slant}${opacity}>${escapeXml(word)}</text>`,
    );
  }
  return parts;
}

const sameStyle = (a: Cell, b: Cell): boolean =>
  a.colour === b.colour &&
  a.background === b.background &&
  a.bold === b.bold &&
  a.dim === b.dim &&
  a.italic === b.italic &&
  a.inverse === b.inverse;

/** A colour of the palette of 256 as CSS. */
function css(colour: string | number): string {
  if (typeof colour === "string") return colour;
  if (colour < 16) return palette[colour] ?? foreground;
  if (colour >= 232) {
    const grey = 8 + (colour - 232) * 10;
    return `rgb(${grey},${grey},${grey})`;
  }
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const index = colour - 16;
  return `rgb(${level(Math.floor(index / 36))},${level(Math.floor(index / 6) % 6)},${level(index % 6)})`;
}

const escapeXml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
