import { createReadStream } from "node:fs";
import { posix, win32 } from "node:path";
import { Readable } from "node:stream";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { isMap } from "../../schema/check.ts";
import { listings } from "../../schema/resources.ts";
import { attachFile, checkFiles, fileUpload } from "../shared/attach-files.ts";
import { command, declare } from "../shared/command.ts";
import { eachOf, printChanges, writeChanges } from "../shared/items.ts";
import { sayCount } from "../shared/lists.ts";
import { standardInput } from "../shared/text.ts";

const declaredList = () =>
  declare(`List the files of a card.

  deckhand attach list x7Rw2kQp
  deckhand attach list x7Rw2kQp -o json`).argument("<card>", "card id");

export const listCommand = command(declaredList, async (id, _options, context) => {
  const files = await filesOf(id, context);
  await context.print.list(listings.attachments, files);
  sayCount(files.length, listings.attachments.name, context);
});

/** From the service's list where it has one, else from the card itself. */
async function filesOf(id: string, context: Context): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = await context.client();
  if (await client.service.has("attachment-list")) return client.attachments.list(id);
  const { attachments } = await client.cards.get(id);
  if (!isMap(attachments)) return [];
  return Object.entries(attachments).map(([name, file]) => ({
    "file-name": name,
    ...(isMap(file) ? file : {}),
  }));
}

const declaredGet = () =>
  declare(`Fetch a file of a card, where the service has a way to (the documented API has none).

  deckhand attach get x7Rw2kQp map.png
  deckhand attach get x7Rw2kQp map.png --output-file - | wc -c`)
    .argument("<card>", "card id")
    .argument("<file-name>", "name of a file on the card")
    .option("--output-file <path>", "where to, or - for standard output; without it a new file of that name");

export const getCommand = command(declaredGet, async (card, name, options, context) => {
  const { outputFile } = options;
  if (outputFile === "-" && context.io.stdout.isTTY)
    throw new UsageError("a file is not written to a terminal: name one with --output-file, or use a pipe");
  const path = outputFile ?? plainFileName(name);
  if (!(await (await context.client()).service.has("attachment-download")))
    throw new UsageError("this service has no way to fetch attachments: the API has no download", {
      hint: "The service's own app shows them.",
    });
  if (context.options.dryRun && path !== "-") return context.io.note(`Would save ${name} as ${path}`);
  const { attachments } = await context.client();
  if (path === "-") {
    const { kept } = await import("./save.ts");
    const content = await attachments.fetchListed(card, name, ({ body }) => kept(body));
    try {
      for await (const chunk of createReadStream(content.path)) await context.io.write(chunk);
    } finally {
      await content.remove();
    }
    return;
  }
  const { saveStream } = await import("./save.ts");
  const replace = outputFile !== undefined;
  await attachments.fetchListed(card, name, ({ body }) => saveStream(body, path, { replace }));
  context.io.say(`Saved ${name} as ${path}`);
});

/** A name may be any text: as a file in the current folder it stands only if no system takes it for a path. */
function plainFileName(name: string): string {
  if (posix.basename(name) !== name || win32.basename(name) !== name || /^\.*$/.test(name))
    throw new UsageError(`${JSON.stringify(name)} cannot be a file's name here`, {
      hint: "Say where to write it with --output-file.",
    });
  return name;
}

const declaredRemove = () =>
  declare(`Remove files from a card. It does not ask.

  deckhand attach remove x7Rw2kQp map.png
  deckhand attach remove x7Rw2kQp map.png flag.svg --dry-run`)
    .argument("<card>", "card id")
    .argument("<file-name...>", "names of files on the card")
    .option("--fail-fast", "stop at the first item that fails");

export const removeCommand = command(declaredRemove, async (card, names, options, context) => {
  const client = await context.client();
  const changes = eachOf(names, options, context, async (name) => {
    await client.attachments.remove(card, name);
    return { id: name, document: { "file-name": name }, sentence: `Removed ${name} from card ${card}` };
  });
  await printChanges(context, listings.attachments, changes, names.length > 1);
});

const declared = () =>
  declare(`Store files on a card. A file of the same name is replaced.

  deckhand attach add x7Rw2kQp map.png flag.svg
  deckhand attach add x7Rw2kQp map.png --name norway.png
  date | deckhand attach add x7Rw2kQp - --name today.txt`)
    .argument("<card>", "card id")
    .argument("<file...>", "files, or - for standard input (needs --name)")
    .option("--name <file-name>", "the name on the card; without it the file's own")
    .option("--fail-fast", "stop at the first item that fails");

export const addCommand = command(declared, async (card, files, options, context) => {
  const several = files.length > 1;
  if (options.name !== undefined && several) throw new UsageError("--name takes exactly one file");
  if (files.includes("-") && options.name === undefined)
    throw new UsageError("standard input has no file name: give it with --name");
  await checkFiles(files.filter((file) => file !== "-"));
  const stored = eachOf(files, options, context, (file) =>
    file === "-"
      ? attachInput(card, options.name ?? "", context)
      : attachFile(card, fileUpload(file, options.name), context),
  );
  // Name, size and type as the service gives them; without --output json they are a list, however many files.
  const json = context.print.format === "json";
  if (context.options.dryRun) for await (const _ of stored);
  else if (json || context.options.jq !== undefined)
    await writeChanges(context, listings.attachments, stored, several || !json);
  else await context.print.list(listings.attachments, stored);
});

/** Stores standard input, once all of it is there: the account is not kept waiting for it, and it can be sent again. */
async function attachInput(card: string, name: string, context: Context) {
  // Wrong settings are an error before standard input is read.
  await context.client();
  const { kept } = await import("./save.ts");
  const content = await kept(context.options.dryRun ? Readable.from([]) : standardInput(context));
  try {
    return await attachFile(card, fileUpload(content.path, name.normalize("NFC")), context);
  } finally {
    await content.remove();
  }
}
