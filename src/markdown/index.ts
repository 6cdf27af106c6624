/**
 * The card language (cards.md). What is here loads no parser; `parse.ts` does, and is for dynamic import.
 */
export { type ContentFacts, contentFacts, inlineTags, plainName, references } from "./facts.ts";
export type { Block, ClozeGroup, Inline, ListItem } from "./nodes.ts";
export { splitSides } from "./sides.ts";
