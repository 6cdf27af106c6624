/** The name of a note type whose second card asks for the first; what it is read back by. */
export const reverseSuffix = " (reviewed in reverse)";

/** The name of the note type for cards without a template and deletions. */
export const plainName = (sides: number): string => (sides > 2 ? `Card with ${sides} sides` : "Card");

/** What the name of a note type that an export made says of its cards: its fields that are sides, at least two. */
export function readNoteTypeName(name: string): { readonly sides: number; readonly reverse: boolean } {
  const sides = /^Card with (\d{1,3}) sides/.exec(name)?.[1];
  return { sides: Math.max(2, Number(sides ?? 2)), reverse: name.endsWith(reverseSuffix) };
}
