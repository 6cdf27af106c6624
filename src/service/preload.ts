/**
 * Loads with the start of a server what a command loads on first use. An update replaces the files of the program while a
 * server runs, and nothing more can be loaded from then on.
 */
export async function preload(): Promise<void> {
  await Promise.all([
    import("../cards/index.ts"),
    import("../cards/parse.ts"),
    import("../codecs/transit.ts"),
    import("./blobs/parted.ts"),
    import("./blobs/files.ts"),
    import("./openapi.ts"),
    import("./routes/attachments.ts"),
    import("./routes/batch.ts"),
    import("./routes/reviews.ts"),
    import("./routes/schedule.ts"),
  ]);
}
