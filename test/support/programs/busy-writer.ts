import { Readable } from "node:stream";
import type { WireRequest } from "../../../src/schema/index.ts";
import { openApplication } from "../../../src/service/app.ts";

/**
 * Writes to a collection until it is killed or has written enough, and prints a line for each write that was
 * acknowledged: `deck <id>`, `card <id>`, `file <card> <name>`, `review <card> <date>`, `gone <card>`;
 * and `going <card>` before a card is deleted.
 *
 * Arguments: data folder, number of rounds.
 */
async function main(folder: string, rounds: number): Promise<void> {
  const application = await openApplication({ folder, now: Date.now });
  const { send } = application.as("default");
  const say = (...words: string[]) => process.stdout.write(`${words.join(" ")}\n`);

  async function write(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const request: WireRequest = {
      method,
      path,
      query: "",
      headers: { "content-type": "application/json" },
      body: body && JSON.stringify(body),
    };
    const answer = await send(request);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return answer.status === 204 ? {} : (JSON.parse(String(answer.body)) as Record<string, unknown>);
  }

  async function attach(card: string, name: string, content: string): Promise<void> {
    const form = `--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n${content}\r\n--b--\r\n`;
    const answer = await send({
      method: "POST",
      path: `/cards/${card}/attachments/${name}`,
      query: "",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: Readable.from([Buffer.from(form)]),
    });
    if (answer.status !== 200) throw new Error(`attachment: ${answer.status} ${answer.body}`);
  }

  const deck = String((await write("POST", "/decks", { name: `deck of ${process.pid}` }))["id"]);
  say("deck", deck);
  for (let round = 0; round < rounds; round++) {
    const card = String((await write("POST", "/cards", { content: `card ${round}`, "deck-id": deck }))["id"]);
    say("card", card);
    await attach(card, "a.txt", `content ${round % 7}`);
    say("file", card, "a.txt");
    const date = new Date(1_700_000_000_000 + round * 1000).toISOString();
    await write("POST", `/cards/${card}/reviews`, { date, "remembered?": round % 2 === 0 });
    say("review", card, date);
    if (round % 3 === 0) {
      say("going", card);
      await write("DELETE", `/cards/${card}`);
      say("gone", card);
    }
  }
  await application.close();
  say("done");
}

const [folder = "", rounds = "1"] = process.argv.slice(2);
void main(folder, Number(rounds));
