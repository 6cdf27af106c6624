import { loadCodec, loadTransitWriter } from "../codecs/index.ts";
import { contentFacts } from "../markdown/index.ts";

/**
 * Loads what is otherwise loaded when it is first asked for. A server lives longer than its program's files: an update
 * puts others in their place, and from then on nothing more could be loaded.
 */
export async function preload(): Promise<void> {
  await Promise.all([
    import("./blobs.ts"),
    import("./openapi.ts"),
    import("./settling.ts"),
    import("./routes/attachments.ts"),
    import("./routes/reviews.ts"),
    import("./routes/service.ts"),
    import("../schedule/index.ts"),
    loadCodec("transit"),
    loadTransitWriter(),
    // With something in it that only the parser of markdown can tell.
    contentFacts("#tag"),
  ]);
}
