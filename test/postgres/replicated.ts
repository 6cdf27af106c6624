import { onTestFinished } from "vitest";
import { cli } from "../support/cli.ts";
import { giveDatabase, takeDatabase } from "../support/postgres.ts";
import { addKeys } from "../support/replicas.ts";

/** A database with a key for `deckhand serve` processes on it. */
export async function replicated() {
  const [host, url] = [cli(), await takeDatabase()];
  onTestFinished(async () => {
    host.remove();
    await giveDatabase(url);
  });
  const [key = ""] = await addKeys(url, ["anna"]);
  return { host, url, key };
}
