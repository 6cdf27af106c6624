import { Readable } from "node:stream";
import {
  batchLimits,
  type Operation,
  parseQuery,
  type WireAnswer,
  type WireRequest,
} from "../schema/index.ts";
import { acceptedCodec, answerOf, problemAnswer, withoutBody } from "./answers.ts";
import { basicKey, type Keys } from "./auth.ts";
import { BucketError } from "./blobs/failure.ts";
import { readBody } from "./body.ts";
import { Problem, unauthorized } from "./errors.ts";
import type { Draft, Service } from "./route.ts";
import { type Match, matchRoute } from "./router.ts";
import { handlerOf } from "./routes/index.ts";
import type { Release, Slots } from "./slots.ts";
import type { Store } from "./store/index.ts";

/** Names a request in the logs of all that it passes. */
export const requestIdHeader = "x-request-id";

/** An answer, and what to call once the client has it. */
export interface Answered {
  readonly answer: WireAnswer;
  readonly release: Release;
  /** Whose key it was; undefined without one. */
  readonly account?: string | undefined;
}

interface PipelineParts {
  readonly service: Service;
  readonly keys: Keys;
  readonly slots: Slots;
  /**
   * @param explained whether the answer says what went wrong
   * @param requestId if the request has one
   */
  onError(error: unknown, explained: boolean, requestId: string | undefined): void;
}

/** The way of a request through the service, one stage after the other. */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** A request from outside: key, turn, then `carryOut`. */
  async answer(request: WireRequest): Promise<Answered> {
    let release: Release = () => {};
    let account: string | undefined;
    // It may break off before anything reads it, while the key is looked up.
    if (request.body instanceof Readable) request.body.on("error", () => {});
    try {
      const open = await this.#openAnswer(request);
      if (open !== undefined) return { answer: open, release };
      account = await this.#authenticated(request);
      release = await this.#parts.slots.take(account);
      return { answer: await this.carryOut(account, request), release, account };
    } catch (error) {
      await release();
      return { answer: await this.#failed(error, request), release: () => {}, account };
    }
  }

  /** A request of a known account: route, query, body, handler, answer. */
  async carryOut(account: string, request: WireRequest): Promise<WireAnswer> {
    try {
      const open = await this.#openAnswer(request);
      if (open !== undefined) return open;
      const match = matchRoute(request.method, request.path);
      const draft = await this.#draftOf(account, match, request);
      const reply = await (await handlerOf(match.id))(draft, this.#parts.service);
      const codec = acceptedCodec(request.headers["accept"]);
      const answer = await answerOf(reply, match.operation.answer, codec);
      return request.method === "HEAD" ? withoutBody(answer) : answer;
    } catch (error) {
      return this.#failed(error, request);
    }
  }

  /** Answers the paths that need no key, since they hold nothing of any account; undefined for any other. */
  async #openAnswer({ method, path }: WireRequest): Promise<WireAnswer | undefined> {
    if (method !== "GET" && method !== "HEAD") return undefined;
    const answer = await openAnswers.get(path)?.(this.#parts.service.store);
    return answer !== undefined && method === "HEAD" ? withoutBody(answer) : answer;
  }

  async #authenticated(request: WireRequest): Promise<string> {
    const key = basicKey(request.headers["authorization"]);
    const account = key === undefined ? undefined : await this.#parts.keys.accountOf(key);
    if (account === undefined) throw unauthorized();
    return account;
  }

  async #draftOf(account: string, { operation, params }: Match, request: WireRequest): Promise<Draft> {
    const query = queryOf(operation, request.query);
    const { body, id } = operation;
    const { limits } = this.#parts.service;
    const [limit, mostValues] =
      id === "batch.apply"
        ? [Math.min(limits.body, batchLimits.bytes), batchLimits.values]
        : [limits.body, undefined];
    const { values, problems } =
      typeof body === "object"
        ? await readBody(request, body, limit, mostValues)
        : { values: {}, problems: undefined };
    return {
      account,
      params,
      query: query.value,
      body: values,
      problems: problems ?? query.problems,
      request,
    } as Draft;
  }

  #failed(error: unknown, request: WireRequest): Promise<WireAnswer> {
    const failure = error instanceof Problem ? undefined : failureOf(error, this.#parts.service);
    const problem = failure === undefined ? error : storeProblem(failure.status, failure.message);
    const explained = problem instanceof Problem;
    if (!explained || problem.status >= 500)
      this.#parts.onError(error, explained, request.headers[requestIdHeader]);
    return problemAnswer(
      explained ? problem : new Problem(500, ["the service failed; its log says why"]),
      acceptedCodec(request.headers["accept"]),
    );
  }
}

/** The description of the API, and what balancers and orchestrators ask. */
const openAnswers: ReadonlyMap<string, (store: Store) => Promise<WireAnswer>> = new Map([
  ["/openapi.json", description],
  // The process answers. It must not depend on the database: a restart would not bring that back.
  ["/healthz", async () => plain(200, "ok")],
  ["/readyz", readiness],
]);

async function description(): Promise<WireAnswer> {
  const { openApi } = await import("./openapi.ts");
  const body = JSON.stringify(openApi(), undefined, 2);
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

async function readiness(store: Store): Promise<WireAnswer> {
  const isReady = await store.isCurrent().catch(() => false);
  return isReady ? plain(200, "ok") : plain(503, "the database cannot be used");
}

const plain = (status: number, text: string): WireAnswer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: `${text}\n`,
});

const queryOf = ({ query }: Operation, sent: string) =>
  query === undefined ? { value: {}, problems: undefined } : parseQuery(query, sent);

const failureOf = (error: unknown, { store }: Service) =>
  error instanceof BucketError ? error.answer : store.failureOf(error);

const storeProblem = (status: number, message: string) =>
  new Problem(status, [message], status === 503 ? { "retry-after": "1" } : {});
