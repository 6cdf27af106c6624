/** What a collection may hold at most, so that a hostile file ends in an error and not in a full memory or disk. */
export const limits = {
  /** Characters of one card, row or line: what services take as a body. */
  itemLength: 10 * 1024 * 1024,
  /** Bytes of a data file or database inside an archive, unpacked. */
  dataBytes: 256 * 1024 * 1024,
  /** Bytes of a database, unpacked: it goes to the disk, not into memory. */
  databaseBytes: 4 * 1024 ** 3,
  /** Bytes of one media file, unpacked. */
  mediaBytes: 1024 ** 3,
  /** Bytes of a whole archive, unpacked. */
  archiveBytes: 8 * 1024 ** 3,
  /** Files in an archive. */
  archiveFiles: 200_000,
  /** Times that a file may grow when it is unpacked, from a size on at which it could hurt. */
  ratio: 200,
  ratioFrom: 16 * 1024 * 1024,
  /** Decks below one another. */
  deckDepth: 100,
} as const;

export type Limits = { readonly [N in keyof typeof limits]: number };
