/**
 * The card language (docs/design/cards.md), without the markdown parser: the functions here load the parser only when there is
 * something to parse. `parse.ts` and `passes.ts` load it at once; modules that are themselves loaded on demand import those.
 */
export { type ContentFacts, contentFacts, inlineTags } from "./facts.ts";
export { emptySide, joinSides, splitSides } from "./sides.ts";
