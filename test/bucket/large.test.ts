import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get, type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, onTestFinished, test } from "vitest";
import { bucketKey, takePrefix, urlOf } from "../support/bucket.ts";
import { attachmentOn, cli, serve } from "../support/cli.ts";
import { giveDatabase, takeDatabase } from "../support/postgres.ts";
import { count, figure } from "../support/soak.ts";
import { boundary, formOf, multipart } from "../support/uploads.ts";

const mebibyte = 1024 * 1024;
const large = count("mebibytes", 96, 1_024);

/** So many mebibytes, no two of which are the same. */
function* mebibytes(size: number) {
  for (let at = 0; at < size; at++)
    yield Buffer.alloc(mebibyte, createHash("sha256").update(`${at}`).digest());
}

/** The most memory that a process had, in MiB. */
const peakOf = (pid: number | undefined) =>
  Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024);

test.skipIf(process.platform !== "linux").each(["the database", "a bucket"])(
  "a large attachment is received and sent in constant memory, with %s",
  { timeout: 900_000 },
  async (where) => {
    const [url, bucket] = [await takeDatabase(), where === "a bucket" ? takePrefix() : undefined];
    const host = cli({ ...bucketKey, AWS_ENDPOINT_URL_S3: bucket?.endpoint });
    const served = await serve(host, ["--database", url, ...(bucket ? ["--blobs", urlOf(bucket)] : [])]);
    onTestFinished(async () => {
      await served.stop();
      host.remove();
      await giveDatabase(url);
    });
    const attachment = await attachmentOn(served);
    const { authorization } = attachment;
    const path = served.url + attachment.path;
    const [head, tail] = [
      formOf({ content: "" }).subarray(0, -`\r\n--${boundary}--\r\n`.length),
      `\r\n--${boundary}--\r\n`,
    ];
    const upload = async (size: number) => {
      const sent = request(path, { method: "POST", headers: { authorization, ...multipart } });
      const answered = once(sent, "response") as Promise<[IncomingMessage]>;
      const hash = createHash("sha256");
      const form = function* () {
        yield head;
        for (const bytes of mebibytes(size)) {
          hash.update(bytes);
          yield bytes;
        }
        yield Buffer.from(tail);
      };
      await pipeline(Readable.from(form()), sent);
      const [answer] = await answered;
      answer.resume();
      expect(answer.statusCode).toBe(200);
      return hash.digest("hex");
    };
    const download = async () => {
      const [answer] = (await once(get(path, { headers: { authorization } }), "response")) as [
        IncomingMessage,
      ];
      const hash = createHash("sha256");
      await pipeline(answer, hash);
      return hash.digest("hex");
    };
    // Whatever is loaded on first use is loaded now, and the garbage of a few requests is there.
    for (let time = 0; time < 4; time++) {
      const small = await upload(8);
      expect(await download()).toBe(small);
    }
    const before = peakOf(served.process.pid);
    const began = performance.now();
    const hash = await upload(large);
    const [uploaded, afterUpload] = [performance.now(), peakOf(served.process.pid)];
    expect(await download()).toBe(hash);
    const speed = (ms: number) => `${Math.round((large * 1_000) / ms)} MiB/s`;
    figure(`an attachment of ${large} MiB in ${where}`, {
      before,
      afterUpload,
      afterDownload: peakOf(served.process.pid),
      upload: speed(uploaded - began),
      download: speed(performance.now() - uploaded),
    });
    expect(peakOf(served.process.pid)).toBeLessThan(before + 64);
  },
);
