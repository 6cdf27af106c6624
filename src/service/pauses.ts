// In characters or bytes: less takes a few milliseconds at most.
const largest = 256 * 1024;

/** Lets the event loop take up other requests; in a transaction only those that read can be answered meanwhile. */
export const otherRequests = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The same before work on a text or bytes of this length, if that takes long. Never inside a transaction: it holds up others. */
export async function pauseBefore(length: number): Promise<void> {
  if (length > largest) await otherRequests();
}
