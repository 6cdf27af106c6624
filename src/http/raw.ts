import { Buffer } from "node:buffer";
import { codecNameOf } from "../codecs/index.ts";
import { UsageError } from "../errors.ts";
import { mediaTypes, object } from "../schema/index.ts";
import { decode, outcomeOf, readAnswer, refusal, succeeded } from "./answer.ts";
import { exchange, type Prepared } from "./attempt.ts";
import { eitherSignal } from "./deadline.ts";
import type { Failure } from "./failure.ts";
import { rawTarget } from "./plan.ts";
import { type Core, encode } from "./request.ts";
import { withRetries } from "./retry.ts";
import type { RawAnswer, RawRequest } from "./settings.ts";
import type { SlotOutcome } from "./throttle/throttle.ts";

const anything = object({});

/** Sends any request, by the same rules as a call; whatever status comes after the repeats is the answer. */
export async function rawCall(core: Core, raw: RawRequest): Promise<RawAnswer> {
  const { settings } = core;
  const request = await prepareRaw(core, raw);
  let last: RawAnswer | undefined;
  const once = async (number: number): Promise<RawAnswer> => {
    last = undefined;
    const open = await exchange(settings, request, number);
    let outcome: SlotOutcome = { kind: "lost" };
    try {
      const body = await readAnswer(open);
      const now = settings.clock.now();
      outcome = outcomeOf(open.answer, now);
      const failure = succeeded(open.answer) ? undefined : await refusal(open, body, now);
      const known = body.length > 0 && codecNameOf(open.answer.headers["content-type"]) !== undefined;
      const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
      const { status, headers } = open.answer;
      const decoded = known
        ? await decodeSome(failure, async () => (await decode(open, raw.answerKind ?? anything, body)).value)
        : undefined;
      last = { status, headers, body: decoded, text: bytes.toString("utf8"), bytes, error: failure?.error };
      if (failure !== undefined) throw failure;
      return last;
    } finally {
      open.close(outcome);
    }
  };
  try {
    return await withRetries(settings, request, ({ number }) => once(number));
  } catch (error) {
    if (last !== undefined && last.error === error) return last;
    throw error;
  }
}

/** An answer that refuses may have any body. */
async function decodeSome(failure: Failure | undefined, decoding: () => Promise<unknown>): Promise<unknown> {
  if (failure === undefined) return decoding();
  return decoding().catch(() => undefined);
}

async function prepareRaw({ settings, headers }: Core, raw: RawRequest): Promise<Prepared> {
  const method = raw.method.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === "CONNECT")
    throw new UsageError(`${JSON.stringify(raw.method)} is not an HTTP method`);
  const { path, query } = rawTarget(raw.path, raw.query ?? []);
  const body =
    raw.body === undefined || typeof raw.body === "string"
      ? raw.body
      : await encode(settings, raw.bodyKind ?? anything, raw.body);
  const type = mediaTypes[settings.codec];
  return {
    name: { method, path },
    query,
    headers: {
      ...headers,
      accept: `${type}, */*;q=0.9`,
      ...(body === undefined ? {} : { "content-type": type }),
      ...ownHeaders(raw.headers ?? {}),
    },
    body,
    repeatable: raw.repeatable ?? method !== "POST",
    retries: settings.retries,
    signal: eitherSignal(settings.signal, raw.signal),
  };
}

/** They frame the request or say where it goes. */
const reserved = [
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "upgrade",
  "expect",
  "keep-alive",
];

/** Headers as they are given, with lower-case names, so that each replaces ours. */
function ownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower))
      throw new UsageError(`${JSON.stringify(name)} is not a header`);
    if (reserved.includes(lower)) throw new UsageError(`the header ${lower} cannot be set`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new UsageError(`the header ${lower} has no valid value`);
    own[lower] = value;
  }
  return own;
}
