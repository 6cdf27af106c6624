import { join } from "node:path";
import { lockFile } from "../../src/transfer/import/pid-lock.ts";

/** A process that takes one file after the other as soon as it may, and keeps what it got until it is killed. */
interface Options {
  readonly folder: string;
  readonly count: number;
  /** When the first may be taken, in epoch ms; each further one 5 ms later. */
  readonly begin: number;
}

const { folder, count, begin } = JSON.parse(process.argv[2] ?? "") as Options;
for (let index = 0; index < count; index++) {
  // All are to come at once: a timer would be late by more than that takes.
  while (Date.now() < begin + 5 * index);
  let got = true;
  try {
    lockFile(join(folder, String(index)), "it");
  } catch {
    got = false;
  }
  process.stdout.write(`${got}\n`);
}
setInterval(() => {}, 60_000);
