import { createHash } from "node:crypto";
import { decodedName, imageFile } from "../cards/links.ts";
import { isMap } from "../schema/index.ts";

export { decodedName };

/** A destination in angle brackets may hold spaces; any other ends at one, or at its closing parenthesis. */
const mediaLinks = /<@media\/([^<>\n]+)>|@media\/((?:[^\s()<>"]|\([^\s()<>"]*\))+)/g;

/** The files that `@media/…` links of a markdown text name, each once, percent-decoded where that is possible. */
export function mediaNames(text: string): string[] {
  if (!text.includes("@media/")) return [];
  const names = new Set<string>();
  for (const match of text.matchAll(mediaLinks)) {
    const name = match[1] ?? match[2] ?? "";
    names.add(decodedName(name));
  }
  return [...names];
}

/** The text with its links to these files changed to their new names. */
export function withMediaNames(text: string, renamed: ReadonlyMap<string, string>): string {
  return text.replace(mediaLinks, (whole, angled?: string, plain?: string) => {
    const name = renamed.get(decodedName(angled ?? plain ?? "").normalize("NFC"));
    return name === undefined ? whole : mediaLink(name);
  });
}

/** Where a link or an image leads, in angle brackets or not. */
const targets = /(\]\()(?:<([^<>\n]+)>|((?:[^\s()<>]|\([^\s()<>]*\))+))(?=(?:\s+"[^"\n]*")?\))/g;

/**
 * The text with other targets for links and images.
 *
 * @param target is given the name of an attachment, as `@media/file.png` or a plain `file.png` name it; undefined leaves
 *   the link as it is
 */
export function withTargets(text: string, target: (name: string) => string | undefined): string {
  if (!text.includes("](")) return text;
  return text.replace(targets, (whole, open: string, angled?: string, plain?: string) => {
    const name = imageFile(angled ?? plain ?? "");
    const other = name === undefined ? undefined : target(name.normalize("NFC"));
    return other === undefined ? whole : `${open}${other}`;
  });
}

/** A name that every service takes, the same for the same name: reports say that some take 4 to 16 letters and digits. */
export function plainName(name: string): string {
  const [ending = ""] = /\.[A-Za-z\d]{1,10}$/.exec(name) ?? [];
  const stem = name.slice(0, name.length - ending.length);
  if (/^[0-9a-zA-Z]{4,16}$/.test(stem) && ending !== "") return name;
  const hash = createHash("sha256").update(name.normalize("NFC")).digest("hex").slice(0, 12);
  return `${hash}${ending.toLowerCase() || ".bin"}`;
}

/** The files that a card names, in its content and in the values of its fields. */
export function mediaOf(card: Readonly<Record<string, unknown>>): string[] {
  const fields = isMap(card["fields"]) ? Object.values(card["fields"]) : [];
  const texts = [card["content"], ...fields.map((entry) => (isMap(entry) ? entry["value"] : entry))];
  return texts.flatMap((text) => (typeof text === "string" ? mediaNames(text) : []));
}

/** Each name once, however its accents are written, as services take them; the first way stays. */
export function distinctNames(names: Iterable<string>): string[] {
  const distinct = new Map<string, string>();
  for (const name of names) {
    const key = name.normalize("NFC");
    if (!distinct.has(key)) distinct.set(key, name);
  }
  return [...distinct.values()];
}

/** The link to an attachment, as markdown takes it for a destination. */
export const mediaLink = (fileName: string): string =>
  `@media/${encodeURIComponent(fileName).replace(/[()]/g, (each) => (each === "(" ? "%28" : "%29"))}`;

/** Whether services take it for the name of an attachment (service.md, attachment file names). */
export function isFileName(name: string): boolean {
  if (name === "" || name === "." || name === ".." || /[/\0-\x1f\x7f-\x9f]/.test(name)) return false;
  return Buffer.byteLength(name.normalize("NFC")) <= 255 && !/\p{Surrogate}/u.test(name);
}
