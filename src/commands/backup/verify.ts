import type { Context } from "../../context/context.ts";
import { visible } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import { command, declare } from "../shared/command.ts";

export const verifyCommand = command(
  () =>
    declare(`Read a backup whole and compare each part with its hash; exit 9 if it is damaged.

Without deckhand: tar -xf cards.tar && sha256sum -c SHA256SUMS

Examples:
  deckhand backup verify cards.tar
  deckhand backup verify cards.tar -o json`).argument("<file>", "the backup"),
  verify,
);

async function verify(file: string, _options: object, context: Context): Promise<void> {
  const { readBackup } = await import("../../service/backup/read.ts");
  const task = (await context.io.status()).begin({ label: "Verifying", unit: "bytes" });
  let read = 0;
  try {
    const { created, files, size, parts } = await readBackup(file, async ({ pieces }) => {
      for await (const bytes of pieces) {
        context.signal.throwIfAborted();
        read += bytes.length;
        task.set(read);
      }
    });
    task.end();
    if (context.print.json) return context.print.value({ file, created, size, attachments: files, parts });
    const attachments = `${count(files, "attachment file")}${files > 0 ? " (equal ones are stored once)" : ""}`;
    await context.io.write(`${visible(file)} is whole: written ${created}, ${attachments}, ${size} bytes\n`);
  } finally {
    task.end();
  }
}
