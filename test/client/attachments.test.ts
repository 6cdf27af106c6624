import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { saveStream } from "../../src/commands/attach/save.ts";
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

/** Saves the file over an old one from a service whose first answers are given; the last is repeated. */
async function saved(answers: readonly Answer[], listed: object = { size: content.length, sha256 }) {
  let fetched = 0;
  const service = await opened(
    fakeService((request, response) => {
      if (request.url.endsWith("/attachments"))
        return sendJson(response, 200, { docs: [{ "file-name": "a.png", type: "image/png", ...listed }] });
      answers[Math.min(fetched++, answers.length - 1)]?.(response);
    }),
  );
  const folder = temporaryFolder();
  const path = join(folder, "a.png");
  writeFileSync(path, "the old one");
  const { attachments } = createClient(await opened(httpTo(service.url, { retries: 0 })));
  const error = await attachments
    .fetchListed("c1", "a.png", ({ body }) => saveStream(body, path, { replace: true }))
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(readdirSync(folder)).toEqual(["a.png"]);
  return { error, text: readFileSync(path, "utf8"), fetched };
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
