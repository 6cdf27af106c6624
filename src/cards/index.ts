/**
 * The card language (cards.md), as far as it needs no parser at once: what parses loads it when there is something to
 * parse. `parse.ts` and `passes.ts` load it with them, and are for modules that are themselves loaded when needed.
 */
export { type ContentFacts, contentFacts, inlineTags } from "./facts.ts";
export { joinSides, splitSides } from "./sides.ts";
