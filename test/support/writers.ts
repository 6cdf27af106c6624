import { expect } from "vitest";
import { runOn } from "./postgres.ts";
import { askOnce, type Replica } from "./replicas.ts";

/** A client of one account that creates cards while servers fail. */
export interface Writer {
  readonly key: string;
  readonly account: string;
  deck: string;
  /** Contents by id, as they were acknowledged. */
  readonly acknowledged: Map<string, string>;
  sent: number;
  uncertain: number;
  /** How often a server said that the database cannot be used. */
  unavailable: number;
}

export const startWriter = (account: string, key: string): Writer => ({
  key,
  account,
  deck: "",
  acknowledged: new Map(),
  sent: 0,
  uncertain: 0,
  unavailable: 0,
});

/** How many writes were acknowledged. */
export const progressOf = (writers: readonly Writer[]) =>
  writers.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);

/** Creates cards one after the other, each with a content of its own that is sent once. */
export async function write(
  writer: Writer,
  replicas: readonly Replica[],
  running: () => boolean,
): Promise<void> {
  for (let turn = 0; running(); turn++) {
    const base = replicas[turn % replicas.length]?.url ?? "";
    if (writer.deck === "") {
      const { status, body } = await askOnce(base, writer.key, "POST", "/decks", { name: "d" });
      if (status === 200) writer.deck = String(body["id"]);
      continue;
    }
    const content = `card ${writer.sent}`;
    const { status, body } = await askOnce(base, writer.key, "POST", "/cards", {
      content,
      "deck-id": writer.deck,
    });
    // Nothing was done: the same card may be sent again.
    if (status === 429 || status === 503) {
      if (status === 503) writer.unavailable++;
      await new Promise((resolve) => setTimeout(resolve, 10));
      continue;
    }
    writer.sent++;
    if (status === 200) writer.acknowledged.set(String(body["id"]), content);
    else if (status === 0 || status === 500) writer.uncertain++;
    else throw new Error(`answered ${status} ${JSON.stringify(body)}`);
  }
}

/** Every acknowledged card is in the database, and no content twice. */
export async function examine({ account, acknowledged, sent }: Writer, url: string): Promise<void> {
  let rows: Record<string, unknown>[] | undefined;
  while (rows === undefined)
    rows = await runOn(
      url,
      `select id, document::json->>'content' as content from card where account = '${account}'`,
    ).catch(() => undefined);
  const stored = new Map(rows.map((row) => [String(row["id"]), String(row["content"])]));
  for (const [id, content] of acknowledged) expect(stored.get(id)).toBe(content);
  const contents = [...stored.values()];
  expect(contents).toHaveLength(new Set(contents).size);
  expect(contents.length).toBeLessThanOrEqual(sent);
}
