import type { WireAnswer, WireRequest } from "../../src/schema/index.ts";
import type { Application } from "../../src/service/app.ts";
import { handled } from "./handled.ts";

/** Any map of JSON. */
export interface Loose {
  readonly [key: string]: Loose;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text read by JSON.parse, where it is JSON or transit; else an empty map. No codec of ours is involved. */
  readonly body: Loose;
}

/** Asks the service with raw wire requests, as a client that knows nothing of our code would. */
export function rawClient(application: Application & { readonly key?: string }, key = application.key) {
  return async function ask(
    method: string,
    target: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RawAnswer> {
    const [path = "/", query = ""] = target.split("?", 2);
    const request: WireRequest = {
      method,
      path,
      query,
      headers: {
        ...(key === undefined ? {} : { authorization: `Basic ${btoa(`${key}:`)}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined || typeof body === "string" ? body : (JSON.stringify(body) as string),
    };
    return received(await handled(application, request));
  };
}

/** Reads an answer whole. */
export async function received(answer: WireAnswer): Promise<RawAnswer> {
  const { status, headers, body } = answer;
  let text = "";
  if (typeof body === "string") text = body;
  else if (body instanceof Uint8Array) text = Buffer.from(body).toString();
  else if (body !== null) for await (const chunk of body) text += chunk;
  const type = headers["content-type"] ?? "";
  return { status, headers, text, body: /json/.test(type) && text !== "" ? (JSON.parse(text) as Loose) : {} };
}

/** The items of a page. */
export const docsOf = ({ body }: RawAnswer): readonly Loose[] => body["docs"] as unknown as Loose[];

/** The id of a document that was answered. */
export const idOf = ({ body }: RawAnswer): string => String(body["id"]);
