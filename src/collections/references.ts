/** The ids of cards by their keys in the source. */
export type NewIds = ReadonlyMap<string, string>;

/** Whether a text may name other cards. */
export const mayRefer = (text: string): boolean => text.includes("[[") || text.includes("@[");

/**
 * Puts the new ids of cards in the place of those that references and embeddings name: `[[id]]`, `[[Title|id]]`,
 * `![[id/1]]`, `@[title](…/id)`. What names no card of the source stays.
 */
export function rewriteReferences(text: string, ids: NewIds): string {
  if (!mayRefer(text)) return text;
  return text
    .replace(
      /\[\[((?:[^[\]\n|]{0,1000}\|)?\s*)([\w-]{1,255})((?:\/\d{1,4})?\s*)\]\]/g,
      (whole, before, key, after) => {
        const id = ids.get(key);
        return id === undefined ? whole : `[[${before}${id}${after}]]`;
      },
    )
    .replace(
      /(@\[[^[\]\n]{0,1000}\]\((?:[^()\s]*[/#:])?)([\w-]{1,255})(\/?\))/g,
      (whole, before, key, after) => {
        const id = ids.get(key);
        return id === undefined ? whole : `${before}${id}${after}`;
      },
    );
}
