import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/service.ts";
import { emptyAccount, importFile, wholeAccount } from "./support.ts";

test("a name that a service refuses is replaced by a safe one, once, with the links of the card", async () => {
  let sent: string[] = [];
  const client = await emptyAccount(({ method, path }) => {
    const [, name = ""] = (method === "POST" && /\/attachments\/(.+)$/.exec(path)) || [];
    if (name === "") return undefined;
    sent.push(decodeURIComponent(name));
    if (/^[0-9a-zA-Z]{4,16}\.[a-z]+$/.test(name)) return undefined;
    const body = JSON.stringify({ errors: { "file-name": "is invalid" } });
    return { status: 422, headers: { "content-type": "application/json" }, body };
  });
  const lines = [
    { deck: { id: "deck1234", name: "D" } },
    {
      card: {
        id: "card1234",
        content: "![](@media/my%20cell.PNG) ![](<@media/my cell.PNG>) ![](@media/fine1.png)",
        "deck-id": "deck1234",
      },
    },
    { attachment: { "card-id": "card1234", "file-name": "my cell.PNG", size: 1 } },
    { bytes: "AA==" },
    { attachment: { "card-id": "card1234", "file-name": "fine1.png", size: 1 } },
    { bytes: "AQ==" },
  ];
  const folder = temporaryFolder();
  const file = join(folder, "in.ndjson");
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const options = { folder, match: true };
  const { summary, failures } = await importFile(client, file, options);
  expect(failures).toEqual([]);
  expect(summary.attachments).toBe(2);
  const { cards, files } = await wholeAccount(client);
  const [safe = ""] = files.map(({ name }) => name).filter((name) => name !== "fine1.png");
  expect(safe).toMatch(/^[0-9a-f]{12}\.png$/);
  expect(cards[0]?.content).toBe(`![](@media/${safe}) ![](@media/${safe}) ![](@media/fine1.png)`);
  sent = [];
  await importFile(client, file, options);
  expect(sent).toEqual([]);
  expect((await wholeAccount(client)).files).toHaveLength(2);
});
