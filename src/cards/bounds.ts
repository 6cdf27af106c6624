/**
 * Bounds on the cost of one side. Cards come from untrusted sources, and some texts make a markdown parser recurse deeply
 * or take quadratic time; beyond a bound the rest is shown as plain text.
 */
export const bounds = {
  /** The longest source that is parsed; the rest is shown as source. All lengths are in UTF-16 units. */
  source: 100_000,
  /** The longest source that is shown; a notice replaces the rest. */
  shown: 500_000,
  /** The length of a filled-in template: more than any card, less than a long value repeated a thousand times. */
  filled: 20_000_000,
  /** A longer quote or list is split into several. */
  container: 4096,
  /** A table with more cells is shown as source. */
  cells: 20_000,
  /** How deep quotes and lists may be nested. */
  blockDepth: 16,
  /** How deep emphasis, links, cloze deletions and other inline nodes may be nested. */
  inlineDepth: 12,
  /** A longer paragraph is parsed in pieces, cut at a line break or space. */
  run: 4096,
  /** The total cost of all runs; one run costs its length times its number of markup characters. */
  inlineWork: 40_000_000,
  /** How often nested blocks may read the source again, beyond the first million units. */
  blockPasses: 8,
} as const;
