/** Lets the event loop take up other requests; in a transaction only those that read can be answered meanwhile. */
export const otherRequests = () => new Promise<void>((resolve) => setImmediate(resolve));
