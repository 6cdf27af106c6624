/** The ids of cards by their keys in the source. */
export interface NewIds {
  get(key: string): string | undefined;
}

/** Whether a text may name other cards. */
const mayRefer = (text: string): boolean => text.includes("[[") || text.includes("@[");

/**
 * Puts the new ids of cards in the place of those that references and embeddings name: `[[id]]`, `[[Title|id]]`,
 * `![[id/1]]`, `@[title](…/id)`. What names no card of the source stays.
 */
function rewriteReferences(text: string, ids: NewIds): string {
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

/** What of a card may name others, as it is sent or received. */
export interface Text {
  readonly content?: string | null | undefined;
  readonly fields?:
    | Readonly<Record<string, { readonly value?: string | null | undefined } | null | undefined>>
    | null
    | undefined;
}

export const refers = ({ content, fields }: Text): boolean =>
  mayRefer(content ?? "") || Object.values(fields ?? {}).some((field) => mayRefer(field?.value ?? ""));

/** A card with the new ids of those that it names. */
export function withNewIds<T extends Text>(card: T, ids: NewIds) {
  const fields: Record<string, { id: string; value: string }> = Object.create(null);
  for (const [id, field] of Object.entries(card.fields ?? {}))
    fields[id] = { id, value: rewriteReferences(field?.value ?? "", ids) };
  return {
    ...card,
    content: rewriteReferences(card.content ?? "", ids),
    ...(card.fields == null ? {} : { fields }),
  };
}

/** What has to be sent so that a card whose text is `from` has that of `to`. */
export function changedText<T extends Text>(from: Text, to: T): Partial<Pick<T, "content" | "fields">> {
  return {
    ...((to.content ?? "") === (from.content ?? "") ? {} : { content: to.content }),
    ...(valuesOf(to) === valuesOf(from) ? {} : { fields: to.fields }),
  };
}

const valuesOf = ({ fields }: Text): string =>
  JSON.stringify(Object.entries(fields ?? {}).map(([id, field]) => [id, field?.value ?? ""]));
