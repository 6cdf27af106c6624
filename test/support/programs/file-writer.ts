import { writeSync } from "node:fs";
import { join } from "node:path";
import { changeConfig } from "../../../src/config/change-config.ts";
import { changeCredential } from "../../../src/config/credentials.ts";
import { Names } from "../../../src/decks/names.ts";
import { openLog } from "../../../src/review/session/log.ts";

export const writtenFiles = ["config", "credentials", "names", "log"] as const;
export type WrittenFile = (typeof writtenFiles)[number];

/**
 * Writes one of the files that the program keeps, again and again, each time with the next number all over it, until it is
 * killed or has written enough; prints each number that is written.
 */
interface Options {
  readonly what: WrittenFile;
  readonly folder: string;
  /** The first number. */
  readonly from: number;
  readonly count: number;
  /** Keeps its changes apart from those of others that write the same file. */
  readonly name?: string;
}

/** So long that a write takes its time. */
export const paddingOf = (number: number): string => `${number},`.repeat(10_000);

async function main({ what, folder, from, count, name = "number" }: Options): Promise<void> {
  const log = openLog(join(folder, "log.jsonl"));
  const padding = name === "number" ? paddingOf : String;
  for (let number = from; number < from + count; number++) {
    if (what === "config")
      await changeConfig(folder, (now) => ({ ...now, [name]: number, [`${name}-padding`]: padding(number) }));
    else if (what === "credentials")
      await changeCredential(folder, process.platform, name, {
        origin: String(number),
        key: padding(number),
      });
    else if (what === "names") writeNames(folder, number, padding(number));
    else
      log.append({
        type: "answer",
        id: String(number),
        "card-id": "card",
        "deck-id": "deck",
        at: new Date(0).toISOString(),
        pass: padding(number),
        "remembered?": true,
        duration: 1,
        left: 0,
      });
    // Not through process.stdout, which keeps what a slow reader has no room for: a kill would take it.
    writeSync(1, `${number}\n`);
  }
  log.close();
}

function writeNames(folder: string, number: number, name: string): void {
  const names = new Names({
    folder,
    accountHash: "a",
    fetchDecks: async () => [],
    fetchDeck: async () => ({ id: "a" }),
    fetchTemplates: async () => [],
    now: () => number,
  });
  names.noteDeckList([{ id: "a", name }]);
  names.save();
}

if (process.argv[2]?.startsWith("{"))
  main(JSON.parse(process.argv[2]) as Options).catch((error: unknown) => {
    process.stderr.write(`${error}\n`);
    process.exitCode = 1;
  });
