import { type Codec, CodecError, codecNameOf, type Decoded, decodeUtf8, loadCodec } from "../codecs/index.ts";
import { errors, type ObjectKind, type WireAnswer } from "../schema/index.ts";
import type { Exchange } from "./attempt.ts";
import type { AnswerBody } from "./body.ts";
import { firstWords, notUnderstood, refused } from "./errors.ts";
import { Failure } from "./failure.ts";
import { retryAfter } from "./retry.ts";
import type { SlotOutcome } from "./throttle/throttle.ts";

export const succeeded = (answer: WireAnswer) => answer.status >= 200 && answer.status < 300;

/**
 * Reads the body. One that refuses needs none: what its status says holds even if the connection breaks after it.
 *
 * @throws Failure
 */
export async function readAnswer(open: Exchange): Promise<AnswerBody> {
  try {
    return await open.read();
  } catch (error) {
    if (succeeded(open.answer) || !(error instanceof Failure)) throw error;
    return "";
  }
}

/**
 * Decodes a body by the answer's own content type, whatever was asked for; one that has none is taken for what was.
 *
 * @throws Failure for another content type, or for what does not decode.
 */
export async function decode(open: Exchange, kind: ObjectKind, body: AnswerBody): Promise<Decoded> {
  const { asked, answer } = open;
  const type = answer.headers["content-type"];
  const codec = await codecOf(open);
  if (codec === undefined) {
    const words = firstWords(beginning(body));
    const what = `the answer is ${type}, not JSON or transit`;
    throw notUnderstood(asked, words === "" ? what : `${what}: ${words}`, { status: answer.status });
  }
  try {
    return codec.receive(kind, textOf(body));
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    // A connection that closed too early may look like a whole answer: only this shows it (wire.md, Answers).
    const what = `the answer cannot be read: ${error.message}`;
    // The error does not become the cause: it quotes the answer, a key in it too.
    throw notUnderstood(asked, what, { status: answer.status, broken: true });
  }
}

/** The failure that an answer other than 2xx is, with what it says about itself. */
export async function refusal(open: Exchange, body: AnswerBody, now: number): Promise<Failure> {
  const { asked, answer } = open;
  let decoded: unknown;
  try {
    decoded = (await codecOf(open))?.decode(errors, textOf(body));
  } catch {
    // The status says enough.
  }
  return refused(asked, {
    status: answer.status,
    headers: answer.headers,
    body: decoded,
    text: beginning(body),
    pause: retryAfter(answer.headers, now),
  });
}

/** What the throttle learns from an answer. */
export function outcomeOf(answer: WireAnswer, now: number): SlotOutcome {
  if (answer.status !== 429) return { kind: "answered" };
  return { kind: "limited", pause: retryAfter(answer.headers, now) };
}

async function codecOf({ answer, codec }: Exchange): Promise<Codec | undefined> {
  const type = answer.headers["content-type"];
  const name = type === undefined ? codec : codecNameOf(type);
  return name === undefined ? undefined : loadCodec(name);
}

const textOf = (body: AnswerBody) => (typeof body === "string" ? body : decodeUtf8(body));

/** The first words of a body. One that it would cut goes: half of a key would not be found out any more. */
function beginning(body: AnswerBody): string {
  const most = 4096;
  const text = typeof body === "string" ? body.slice(0, most) : body.toString("utf8", 0, most);
  return body.length > most ? text.replace(/(?<!\S)\S+$/, "") : text;
}
