import { safeId, safeName } from "../files/safe-names.ts";

/** What is where in a folder of cards. */

/** Marks a folder as ours, at its root. */
export const markerName = "deckhand.yaml";
/** Of ours inside the folder: what was written, what was replaced or removed there, temporary files. */
export const privateFolder = ".deckhand";
export const deckFile = "deck.yaml";
export const templatesFolder = "_templates";

/** Cards in no deck, and decks outside of the tree, are in folders that are no decks. */
export const withoutDeck = "_without-deck";
export const apartFolder = "_apart";
export const ignoreFile = ".deckhandignore";

const markdown = /\.(?:md|markdown)$/i;

export const isMarkdown = (path: string): boolean => markdown.test(path);

/** The folder of a card's attachments is beside its file. */
export const filesEnding = ".files";
export const filesFolder = (card: string): string => card.replace(markdown, "") + filesEnding;

export const isPrivate = (path: string): boolean =>
  path === privateFolder || path.startsWith(`${privateFolder}/`) || path.split("/").includes("..");

/** The name of a deck's folder, not unique. */
export function folderName(deck: { readonly id: string; readonly name?: string | null | undefined }): string {
  const name = safeName(deck.name ?? "", 60);
  if (name === "") return safeId(deck.id);
  // What ends so is a card, the files of one, or our own.
  return /\.(?:files|md|markdown|yaml)$/i.test(name) ? `${name}_` : name;
}

/** Whether a file has a name that is never a card's. */
export const isReserved = (name: string): boolean =>
  name.startsWith(".") || name === deckFile || /^deckhand.*\.yaml$/.test(name) || !isMarkdown(name);

/**
 * Compiles the patterns of an ignore file, one a line, as in .gitignore: `*` within a name, `**` across folders, a
 * leading slash for the folder itself, a trailing one for folders. Lines that begin with `!` are not supported.
 */
export function ignorePatterns(text: string): (path: string) => boolean {
  const patterns = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("!"))
    .map(patternOf);
  return (path) => patterns.some((pattern) => pattern.test(path));
}

function patternOf(line: string): RegExp {
  const plain = line.replace(/^\/|\/$/g, "");
  const source = plain
    .split("/")
    .map((part) =>
      part === "**"
        ? ".*"
        : part
            .replace(/[.+^${}()|[\]\\]/g, "\\$&")
            .replace(/\*/g, "[^/]*")
            .replace(/\?/g, "[^/]"),
    )
    .join("/")
    .replaceAll(".*/", "(?:.*/)?");
  const anchored = line.startsWith("/") || plain.includes("/");
  return new RegExp(`${anchored ? "^" : "(?:^|/)"}${source}(?:/|$)`);
}
