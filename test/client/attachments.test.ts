import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import { saveStream } from "../../src/commands/attach/save.ts";
import { fetchPicture } from "../../src/commands/cards/card-pictures.ts";
import { fetchAttachment } from "../../src/commands/due/open-link.ts";
import type { Context } from "../../src/context/context.ts";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { temporaryFolder } from "../support/folder.ts";
import { httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";

const opened = closingAfterEach();
const content = Buffer.from("the whole picture");
const sha256 = createHash("sha256").update(content).digest("hex");

type Answer = (response: ServerResponse) => void;
const whole: Answer = (response) => void response.end(content);
const wrong: Readonly<Record<string, Answer>> = {
  "is cut and ended by close, as proxies of HTTP/1.0 do": (response) => {
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
    response.removeHeader("transfer-encoding");
    response.writeHead(200, { connection: "close" }).end(content.subarray(0, 5));
  },
  "is empty": (response) => void response.writeHead(204).end(),
  "is an error in a body": (response) => sendJson(response, 200, { errors: ["try again"] }),
  "has another byte": (response) => void response.end(Buffer.from("The whole picture")),
};

const extensions = ["attachment-list", "attachment-download"];

/** A client of a service with one file, whose first answers are given; the last is repeated. */
async function clientOf(answers: readonly Answer[], listed: object = { size: content.length, sha256 }) {
  let fetched = 0;
  const service = await opened(
    fakeService((request, response) => {
      if (request.url === "/") return sendJson(response, 200, { extensions });
      if (request.url.endsWith("/attachments"))
        return sendJson(response, 200, { docs: [{ "file-name": "a.png", type: "image/png", ...listed }] });
      answers[Math.min(fetched++, answers.length - 1)]?.(response);
    }),
  );
  return {
    client: createClient(await opened(httpTo(service.url, { retries: 0 }))),
    fetched: () => fetched,
    lists: () => service.requests.filter(({ url }) => url.endsWith("/attachments")).length,
  };
}

/** Saves the file over an old one. */
async function saved(answers: readonly Answer[], listed?: object) {
  const { client, fetched } = await clientOf(answers, listed);
  const folder = temporaryFolder();
  const path = join(folder, "a.png");
  writeFileSync(path, "the old one");
  const error = await client.attachments
    .fetchListed("c1", "a.png", ({ body }) => saveStream(body, path, { replace: true }))
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(readdirSync(folder)).toEqual(["a.png"]);
  return { error, text: readFileSync(path, "utf8"), fetched: fetched() };
}

describe("a file that is fetched and compared with the list", () => {
  it("is saved if it is the listed one", async () => {
    for (const listed of [
      { size: content.length, sha256 },
      { size: content.length },
      { sha256: sha256.toUpperCase() },
      {},
    ])
      expect(await saved([whole], listed)).toEqual({
        error: undefined,
        text: content.toString(),
        fetched: 1,
      });
  });

  for (const [name, answer] of Object.entries(wrong)) {
    it(`that ${name} is fetched once more`, async () => {
      expect(await saved([answer, whole])).toEqual({
        error: undefined,
        text: content.toString(),
        fetched: 2,
      });
    });

    it(`that ${name} twice is an error, and the old one is kept`, async () => {
      const { error, text, fetched } = await saved([answer]);
      expect(error).toMatchObject({ code: "bad-response", message: expect.stringContaining("a.png") });
      expect([text, fetched]).toEqual(["the old one", 2]);
    });
  }
});

describe("a file for the screen", () => {
  /** As much of a context as fetching needs. */
  const contextOf = (client: Client) =>
    ({
      client: async () => client,
      signal: new AbortController().signal,
      folders: { cache: temporaryFolder() },
    }) as unknown as Context;

  for (const [name, answer] of Object.entries(wrong))
    it(`that ${name} is neither drawn nor opened`, async () => {
      const { client } = await clientOf([answer]);
      expect(await fetchPicture("c1", "a.png", contextOf(client))).toBeUndefined();
      await expect(fetchAttachment("c1", "a.png", contextOf(client))).rejects.toMatchObject({ exitCode: 8 });
    });

  it("is drawn and opened if it is the listed one, and the list is asked for once for all files of a card", async () => {
    const { client, lists } = await clientOf([whole]);
    for (let at = 0; at < 3; at++)
      expect(await fetchPicture("c1", "a.png", contextOf(client))).toEqual(content);
    expect(readFileSync(await fetchAttachment("c1", "a.png", contextOf(client)))).toEqual(content);
    expect(lists()).toBe(1);
  });
});
