import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../src/client/index.ts";
import { bin, withCollection } from "../test/support/collection.ts";
import { openPty, type Pty } from "../test/support/pty.ts";

/**
 * Puts what `deckhand review` shows into docs/review.md: each block after a line `<!-- capture: name -->` is taken from
 * the built program, running on a real pseudo-terminal.
 *
 *     npm run build && node scripts/run.mjs scripts/capture-review.ts
 */

const page = "docs/review.md";

async function main(): Promise<void> {
  const captures = await takeCaptures();
  const text = readFileSync(page, "utf8");
  const written = text.replace(
    /(<!-- capture: ([\w-]+) -->\n)(?:```text\n[\s\S]*?```\n)?/g,
    (_all, mark: string, name: string) => {
      const screen = captures.get(name);
      if (screen === undefined) throw new Error(`no capture is called ${name}`);
      return `${mark}\`\`\`text\n${screen}\n\`\`\`\n`;
    },
  );
  writeFileSync(page, written);
}

async function takeCaptures(): Promise<Map<string, string>> {
  const captures = new Map<string, string>();
  const home = mkdtempSync(join(tmpdir(), "deckhand-capture-"));
  mkdirSync(join(home, "data"));
  await withCollection(join(home, "data"), collection);
  const env = { DECKHAND_HOME: home, DECKHAND_PROFILE: "local", TZ: "UTC", NO_COLOR: "1" };
  const open = (columns: number, rows: number, args: readonly string[] = []) =>
    openPty({ args: [bin, "review", "--order", "deck", ...args], env, columns, rows });
  /** The screen, its clock at the same time whenever the captures are made. */
  const take = (name: string, pty: Pty) =>
    captures.set(
      name,
      pty
        .text()
        .replace(/\d+:\d\d(?=\n)/, "0:42")
        .trimEnd(),
    );

  const small = open(40, 10);
  await small.until(/Norway/);
  take("small", small);
  await quit(small);

  const large = open(200, 60);
  await large.until(/Norway/);
  large.press("s");
  await large.until(/second longest/);
  large.press("s");
  await large.until(/Which peaks/);
  large.press(" ");
  await large.until("Elbrus");
  take("large", large);
  await quit(large);

  const pty = open(80, 24);
  await pty.until(/Norway/);
  take("front", pty);
  pty.press(" ");
  await pty.until("Oslo");
  take("revealed", pty);
  await grade(pty, "2");
  await pty.until(/the second longest/);
  take("cloze", pty);
  pty.press(" ");
  await pty.until("2 remembered");
  take("cloze-revealed", pty);
  await grade(pty, "1");
  await pty.until(/Which peaks/);
  pty.press(" ");
  await pty.until("Elbrus");
  take("table", pty);
  pty.press("?");
  await pty.until("any key");
  take("help", pty);
  pty.press("q");
  await pty.until("2 remembered");
  pty.press("i");
  await pty.until("Deck ");
  captures.set(
    "details",
    pty
      .text()
      .replace(/(Card +)\w+/, "$1x7Rw2kQp")
      .replace(/\d{4}-\d\d-\d\d/g, "2026-03-01")
      .replace(/\d+:\d\d(?=\n)/, "0:42")
      .trimEnd(),
  );
  pty.press("q");
  await pty.until("2 remembered");
  await grade(pty, "2");
  for (let i = 0; i < 4 && !pty.text().includes("Done for now"); i++) {
    await pty.until(/space reveal|Done for now/);
    if (pty.text().includes("Done for now")) break;
    pty.press(" ");
    await pty.until("2 remembered");
    await grade(pty, "2");
    await pty.until(/space reveal|Done for now/);
  }
  await pty.until("tomorrow.");
  captures.set(
    "summary",
    pty
      .text()
      .replace(/\d+:\d\d(?=\n)/, "0:42")
      .replace(/\d+ s$/m, "42 s")
      .trimEnd(),
  );
  await quit(pty);
  rmSync(home, { recursive: true, force: true });
  return captures;
}

async function grade(pty: Pty, key: string): Promise<void> {
  // The guard that keeps a held key from grading.
  await new Promise((done) => setTimeout(done, 200));
  pty.press(key);
}

async function quit(pty: Pty): Promise<void> {
  pty.press("q");
  await pty.ended;
  pty.close();
}

async function collection(client: Client): Promise<void> {
  const root = await client.decks.create({ name: "Geography" });
  const deck = await client.decks.create({ name: "Europe", "parent-id": root.id });
  const template = await client.templates.create({
    name: "Capital",
    content:
      "What is the capital of **<< Country >>**?\n---\n# << Capital >>\n<< #Note >>\n\n> << Note >>\n<< /Note >>",
    fields: {
      name: { id: "name", name: "Country" },
      capital: { id: "capital", name: "Capital" },
      note: { id: "note", name: "Note" },
    },
  });
  const fields = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { id, value }]));
  const cards = [
    {
      content: "",
      "template-id": template.id,
      fields: fields({ name: "Norway", capital: "Oslo", note: "Called *Kristiania* until 1925." }),
      "manual-tags": ["capital"],
    },
    {
      content:
        "The {{1::Volga}} is the longest river of Europe, and the {{2::Danube}} the second longest: it flows through *four* capitals. #rivers",
    },
    {
      content: [
        "Which peaks are the highest?",
        "---",
        "| Peak | Range | Height |",
        "|---|---|---:|",
        "| Elbrus | Caucasus | 5,642 m |",
        "| Mont Blanc | Alps | 4,806 m |",
        "| Mulhacén | Sierra Nevada | 3,479 m |",
        "",
        "1. Whether `Elbrus` counts depends on where Europe ends.",
        "2. See the [list of peaks](https://example.org/peaks).",
      ].join("\n"),
    },
  ];
  for (const card of cards) await client.cards.create({ ...card, "deck-id": deck.id });
}

await main();
