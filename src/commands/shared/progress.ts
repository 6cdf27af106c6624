import type { Context } from "../../context/context.ts";

/** Shows on the status line how far something has come. */
export async function whileCounting<T>(
  label: string,
  context: Context,
  work: (progress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const task = (await context.io.status()).begin({ label, unit: "items" });
  try {
    return await work((done, total) => task.set(done, total));
  } finally {
    task.end();
  }
}
