import { afterEach } from "vitest";

/** Closes at the end of each test, in the opposite order, what the test opened. */
export function closingAfterEach(): <T extends { close(): Promise<void> }>(
  part: T | Promise<T>,
) => Promise<T> {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part.close();
  });
  return async (part) => {
    const opened = await part;
    open.push(opened);
    return opened;
  };
}
