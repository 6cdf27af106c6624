import { Buffer } from "node:buffer";
import {
  type Operation,
  type ParsedQuery,
  parseQuery,
  type WireAnswer,
  type WireRequest,
} from "../schema/index.ts";
import { acceptedCodec, answerOf, problemAnswer } from "./answers.ts";
import type { Keys } from "./auth.ts";
import { basicKey } from "./basic.ts";
import { type ReadBody, readBody } from "./body.ts";
import { Problem, unauthorized } from "./errors.ts";
import { createRouter } from "./router.ts";
import { handlers } from "./routes/index.ts";
import type { Call, Service } from "./service.ts";
import type { Slots } from "./slots.ts";
import { storeProblem } from "./store/index.ts";

/** An answer, and what is to be called once whoever asked has it. */
export interface Answered {
  readonly answer: WireAnswer;
  release(): void;
}

export interface PipelineParts {
  readonly service: Service;
  /** Loaded when a key is first shown. */
  keys(): Promise<Pick<Keys, "accountOf">>;
  readonly slots: Slots;
  /** Milliseconds that the answer to a wrong key is held back. */
  readonly keyDelay: number;
  /** @param explained whether the answer says as much */
  onError(error: unknown, explained: boolean): void;
}

export interface Pipeline {
  /** A request from outside: key, turn, then `carryOut`. Never throws. */
  answer(request: WireRequest): Promise<Answered>;
  /** What an account asks for: path, query, body, handler, answer. Never throws. */
  carryOut(account: string, request: WireRequest): Promise<WireAnswer>;
}

/** The way of a request through the service, one stage after the other. */
export function createPipeline({ service, keys, slots, keyDelay, onError }: PipelineParts): Pipeline {
  const router = createRouter();

  async function authenticated(request: WireRequest): Promise<string> {
    const key = basicKey(request.headers["authorization"]);
    const account = key === undefined ? undefined : await (await keys()).accountOf(key);
    if (account !== undefined) return account;
    // A missing key guesses at nothing; a wrong one might.
    if (key !== undefined) await wait(keyDelay);
    throw unauthorized();
  }

  async function answered(account: string, request: WireRequest): Promise<WireAnswer> {
    if (isDescription(request)) return description();
    const { id, operation, params } = router.match(request.method, request.path);
    const query = queryOf(operation, request.query);
    const { body, problems = query.problems } =
      typeof operation.body === "object"
        ? await readBody(request, operation.body, service.limits.body)
        : nothing;
    const call: Call = { account, params, query: query.value, body, problems, request };
    const reply = await handlers[id](call, service);
    return answerOf(reply, operation.answer, acceptedCodec(request.headers["accept"]));
  }

  async function told(error: unknown, request: WireRequest): Promise<WireAnswer> {
    const problem = error instanceof Problem ? error : storeProblem(error);
    if (problem === undefined || problem.status >= 500) onError(error, problem !== undefined);
    return problemAnswer(
      problem ?? new Problem(500, ["the service failed; its log says why"]),
      acceptedCodec(request.headers["accept"]),
    );
  }

  async function carryOut(account: string, request: WireRequest): Promise<WireAnswer> {
    try {
      const answer = await answered(account, request);
      return request.method === "HEAD" ? withoutBody(answer) : answer;
    } catch (error) {
      return told(error, request);
    }
  }

  return {
    carryOut,
    async answer(request) {
      try {
        if (isDescription(request)) return { answer: await carryOut(nobody, request), release: () => {} };
        const account = await authenticated(request);
        const release = slots.take(account);
        try {
          return { answer: await carryOut(account, request), release };
        } catch (error) {
          release();
          throw error;
        }
      } catch (error) {
        return { answer: await told(error, request), release: () => {} };
      }
    },
  };
}

const nothing: ReadBody = { body: {}, problems: undefined };

function queryOf({ query }: Operation, sent: string): ParsedQuery {
  return query === undefined ? { value: {}, problems: undefined } : parseQuery(query, sent);
}

/** What GET would answer, told by the headers only. */
function withoutBody({ status, headers, body }: WireAnswer): WireAnswer {
  if (body === null) return { status, headers, body };
  if (typeof body === "string" || body instanceof Uint8Array)
    return { status, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, body: null };
  body.destroy();
  return { status, headers, body: null };
}

/** The description of the API holds nothing of anyone's: it is there for tools, without a key. */
const isDescription = ({ method, path }: WireRequest) =>
  path === "/openapi.json" && (method === "GET" || method === "HEAD");

const nobody = "";

async function description(): Promise<WireAnswer> {
  const { openApi } = await import("./openapi.ts");
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(openApi(), undefined, 2),
  };
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
