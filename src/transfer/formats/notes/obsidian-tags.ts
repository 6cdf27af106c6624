/** Before the tags of a card that are not in its text, an export writes a character of no width. */
const mark = "\u200b";
const marked = new RegExp(`\\n?${mark} (#\\S+(?: #\\S+)*)(?=\\n|$)`);

/** The tags of a card as Obsidian has them, below its question or beside it. */
export const tagsAfter = (tags: readonly string[]): string =>
  `${mark} ${tags.map((tag) => `#${tag}`).join(" ")}`;

/** The text of a card without the tags that an export wrote, and these tags. */
export function takeTags(content: string): { readonly content: string; readonly tags: readonly string[] } {
  const [whole, list] = marked.exec(content) ?? [];
  if (whole === undefined || list === undefined) return { content, tags: [] };
  return { content: content.replace(whole, ""), tags: list.split(" ").map((tag) => tag.slice(1)) };
}
