/**
 * Bounds on what a side may cost. Cards come from strangers, and some sources make any markdown parser recurse without
 * end or take time that grows with the square of their length; past a bound the rest is shown as plain text.
 */
export const bounds = {
  /** The longest source that is parsed; what follows is shown as it stands. All lengths are in UTF-16 units. */
  source: 100_000,
  /** What a template filled in may hold: more than any card, but not a long value a thousand times over. */
  filled: 20_000_000,
  /** A quote or list that is longer is made several. */
  container: 4096,
  /** A table with more cells is shown as it stands. */
  cells: 20_000,
  /** Quotes and lists within each other. */
  blockDepth: 16,
  /** Emphasis, links, deletions and so on within each other. */
  inlineDepth: 12,
  /** A longer paragraph is parsed in pieces, cut at a line break or space. */
  run: 4096,
  /** The most that all runs together may cost: for each, its length times its characters that mean something. */
  inlineWork: 40_000_000,
  /** How often the source may be read over again by nested blocks, beside the first million units. */
  blockPasses: 8,
} as const;
