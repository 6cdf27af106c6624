import { Buffer } from "node:buffer";
import { contentFacts } from "../cards/index.ts";
import { loadCodec, loadTransitWriter } from "../codecs/index.ts";

/**
 * Loads what is otherwise loaded when it is first asked for. A server lives longer than its program's files: an update
 * puts others in their place, and from then on nothing more could be loaded.
 */
export async function preload(): Promise<void> {
  keepFreedMemory();
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

/**
 * glibc gives freed memory back to the system as soon as 128 KiB of it lie at the end of the heap, and gets it again 4 KiB
 * at a time, each of which the system has to clear: with every page of cards, a fifth of what its answer takes. Once it
 * has freed a large block it keeps up to twice as much (mallopt(3), M_TRIM_THRESHOLD). Nothing of this one is touched, so
 * that it takes no memory; other allocators do not mind.
 */
function keepFreedMemory(): void {
  // Not `new ArrayBuffer`, which the bundler leaves out.
  Buffer.allocUnsafeSlow(16 * 1024 * 1024);
}
