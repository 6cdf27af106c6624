/**
 * The card language (cards.md). What is here loads no parser; `parse.ts` does, and is for dynamic import.
 */
export { type ContentFacts, contentFacts, inlineTags, plainName, references } from "./facts.ts";
export type { Block, ClozeGroup, Inline, ListItem } from "./nodes.ts";
export type { ClozeView, Pass, Presentation, ShownSide, Side } from "./passes.ts";
export { splitSides } from "./sides.ts";
export { type FilledTemplate, fillSides, fillTemplate, unknownPlaceholders } from "./template.ts";
