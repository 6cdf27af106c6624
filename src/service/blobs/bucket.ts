import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { AwsClient } from "aws4fetch";
import { BucketError } from "./failure.ts";

/** An S3-compatible store, and where objects are in it. */
export interface BucketOptions {
  readonly bucket: string;
  /** What every key begins with: empty, or folders and a slash. */
  readonly prefix: string;
  /** `https://host:port/path` of a store other than Amazon's. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** How long requests are repeated while the store is unavailable, in milliseconds; 10 seconds if absent. */
  readonly patience?: number | undefined;
}

const removedAtOnce = 16;
// How long one attempt may take, in milliseconds.
const attempting = 60_000;

interface ObjectRequest {
  readonly method: "GET" | "PUT" | "DELETE";
  readonly key: string;
  readonly query?: string;
  readonly body?: Uint8Array;
}

/**
 * Objects of a bucket below a prefix. Every request may be repeated, and is while the store is unavailable. Keys consist of letters, digits and `._/-`.
 *
 * All methods throw BucketError.
 */
export class Bucket {
  /** For messages. */
  readonly name: string;
  readonly #options: BucketOptions;
  readonly #base: URL;
  readonly #client: AwsClient;

  constructor(options: BucketOptions) {
    this.#options = options;
    this.name = `s3://${options.bucket}/${options.prefix}`.replace(/\/$/, "");
    this.#base = baseOf(options);
    const { region, accessKeyId, secretAccessKey, sessionToken } = options;
    const token = sessionToken === undefined ? {} : { sessionToken };
    this.#client = new AwsClient({ service: "s3", region, accessKeyId, secretAccessKey, ...token });
  }

  /** The bytes of an object; undefined if there is none. */
  async get(key: string): Promise<Buffer | undefined> {
    return this.#send({ method: "GET", key });
  }

  /** Stores an object, whose bytes the store compares with their hash; it replaces one that is there. */
  async put(key: string, body: Uint8Array): Promise<void> {
    // There is no bucket, or what answers is no such store.
    if ((await this.#send({ method: "PUT", key, body })) === undefined) throw this.#refusal(404, undefined);
  }

  async remove(key: string): Promise<void> {
    await this.#send({ method: "DELETE", key });
  }

  /** Removes all objects whose keys begin so. */
  async removeAll(start: string): Promise<void> {
    for await (const keys of this.list(start))
      for (let at = 0; at < keys.length; at += removedAtOnce)
        await Promise.all(keys.slice(at, at + removedAtOnce).map((key) => this.remove(key)));
  }

  /** All keys that begin so, some hundreds at a time, in their order. */
  async *list(start: string): AsyncGenerator<readonly string[], void> {
    const { prefix } = this.#options;
    const query = new URLSearchParams({ "list-type": "2", prefix: prefix + start });
    for (let last: string | undefined; ; ) {
      const bytes = await this.#send({ method: "GET", key: "", query: query.toString() });
      const text = bytes?.toString() ?? "";
      if (!text.includes("<ListBucketResult")) throw this.#refusal(404, undefined);
      const keys = Array.from(text.matchAll(/<Key>([^<]*)<\/Key>/g), ([, key = ""]) => key);
      yield keys.map((key) => key.slice(prefix.length));
      last = keys.at(-1);
      if (last === undefined || !text.includes("<IsTruncated>true")) return;
      query.set("start-after", last);
    }
  }

  /** The body of the answer; undefined where there is no such object. */
  async #send(asked: ObjectRequest): Promise<Buffer | undefined> {
    const { patience = 10_000 } = this.#options;
    const began = performance.now();
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(asked);
      } catch (error) {
        const isLast = performance.now() - began > patience;
        if (!(error instanceof BucketError) || error.kind !== "unavailable" || isLast) throw error;
      }
      // Servers that were asked to slow down must not come back all at once.
      const pause = Math.min(100 * 2 ** attempt, 2_000);
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random() / 2)));
    }
  }

  async #attempt(asked: ObjectRequest): Promise<Buffer | undefined> {
    const { status, bytes } = await this.#exchange(asked);
    if (status >= 200 && status < 300) return bytes;
    const code = /<Code>([\w.]{1,64})<\/Code>/.exec(bytes.subarray(0, 4096).toString("latin1"))?.[1];
    if (status === 404 && (code === undefined || code === "NoSuchKey")) return undefined;
    throw this.#refusal(status, code);
  }

  /** Sends a request with a signature of all of it, the hash of the body included. */
  async #exchange({ method, key, query = "", body }: ObjectRequest) {
    const url = new URL(this.#base);
    url.pathname += query === "" ? this.#options.prefix + key : "";
    url.search = query;
    const hash = createHash("sha256")
      .update(body ?? "")
      .digest("hex");
    const signed = await this.#client.sign(url, {
      method,
      headers: { "x-amz-content-sha256": hash },
      redirect: "manual",
      signal: AbortSignal.timeout(attempting),
      ...(body === undefined ? {} : { body }),
    });
    try {
      const answer = await fetch(signed);
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
    } catch (error) {
      const cause = (error as Error).cause ?? error;
      const { code, message } = cause as NodeJS.ErrnoException;
      throw new BucketError("unavailable", `${this.name} cannot be reached: ${message || code}`, { cause });
    }
  }

  #refusal(status: number, code: string | undefined): BucketError {
    const answered = `${this.name}: ${[status, code].filter(Boolean).join(" ")}`;
    if (status === 507 || /Quota|StorageFull/.test(code ?? "")) return new BucketError("full", answered);
    if (status >= 500 || status === 429 || code === "RequestTimeout" || code === "SlowDown")
      return new BucketError("unavailable", answered);
    return new BucketError("refused", answered);
  }
}

/** The address of the bucket, with a slash at its end. */
function baseOf({ bucket, endpoint, region }: BucketOptions): URL {
  if (endpoint !== undefined) return new URL(`${endpoint.replace(/\/+$/, "")}/${bucket}/`);
  // A certificate covers one label before the host.
  return bucket.includes(".")
    ? new URL(`https://s3.${region}.amazonaws.com/${bucket}/`)
    : new URL(`https://${bucket}.s3.${region}.amazonaws.com/`);
}
