import { Readable } from "node:stream";
import type { WireAnswer, WireRequest } from "../schema/index.ts";
import { sessionSeconds } from "./access.ts";
import { AccountReader } from "./account.ts";
import { empty, htmlAnswer, jsonAnswer, partOf, refusal, seeOther } from "./answers.ts";
import { asset, preloadAssets } from "./assets.ts";
import { decksPage, loginPage, reviewPage } from "./pages.ts";
import type { Access, StudyService } from "./ports.ts";
import { preparedCard, sessionOf } from "./session.ts";
import { studyStats } from "./stats.ts";

export { keyAccess, linkAccess } from "./access.ts";

export interface StudyOptions {
  readonly service: StudyService;
  readonly access: Access;
  /** Of the session's cookie. Cookies do not tell ports apart. */
  readonly cookie?: string;
  /** The page that the link which works once leads to. Without it people sign in with a key. */
  readonly opens?: string;
  /** Called when the review is over: with `left` where the page was closed, which may also be a reload. */
  onEnd?(how: "done" | "left"): void;
  /** Called with each request of a session. */
  onSeen?(): void;
}

/** An answer of the page, and whose it is. */
interface StudyAnswer {
  readonly answer: WireAnswer;
  readonly account?: string | undefined;
}

export interface Study {
  /** @returns undefined for a path that is not of the page */
  answer(request: WireRequest): Promise<StudyAnswer | undefined>;
}

/** The study page: everything under `/study`. */
export async function openStudy(options: StudyOptions): Promise<Study> {
  await preloadAssets();
  const site = new Site({ ...options, service: inTurn(options.service) });
  return {
    async answer(request) {
      if (request.path === "/study") return { answer: seeOther("study/") };
      if (!request.path.startsWith("/study/")) return undefined;
      // It may break off before anything reads it.
      if (request.body instanceof Readable) request.body.on("error", () => {});
      try {
        return await site.answer(request);
      } catch (error) {
        options.service.onError(error);
        return { answer: refusal(500, "the page failed; the log of the service says why") };
      }
    },
  };
}

/** The requests that the page makes of an account wait for each other, as those of any other client do. */
function inTurn(service: StudyService): StudyService {
  const last = new Map<string, Promise<unknown>>();
  return {
    ...service,
    send(account, request) {
      const before = last.get(account) ?? Promise.resolve();
      const answer = before.then(() => service.send(account, request));
      const done: Promise<unknown> = answer
        .catch(() => {})
        .then(() => {
          if (last.get(account) === done) last.delete(account);
        });
      last.set(account, done);
      return answer;
    },
  };
}

/** Operations of the API that the page may use, by its own method and path. */
const forwarded: Readonly<Record<string, (segments: readonly string[]) => string | undefined>> = {
  "POST reviews": ([card, ...more]) => (more.length === 0 ? `/cards/${card}/reviews` : undefined),
  "DELETE reviews": ([card, date, ...more]) =>
    date === undefined || more.length > 0 ? undefined : `/cards/${card}/reviews/${date}`,
  "PUT today": ([card, ...more]) => (more.length === 0 ? `/cards/${card}/today` : undefined),
};

class Site {
  readonly #options: StudyOptions;

  constructor(options: StudyOptions) {
    this.#options = options;
  }

  async answer(request: WireRequest): Promise<StudyAnswer> {
    const [name = "", ...segments] = request.path.slice("/study/".length).split("/");
    const method = request.method === "HEAD" ? "GET" : request.method;
    if (method === "GET" && segments.length === 0) {
      const file = await asset(name);
      if (file !== undefined) return { answer: file };
    }
    // A browser says which page writes: only ours may (the server has compared it with the host).
    if (method !== "GET" && request.headers["origin"] === undefined)
      return { answer: refusal(403, "only the page itself may do this") };
    const open = segments.length === 0 ? await this.#open(method, name, request) : undefined;
    if (open !== undefined) return { answer: open };
    const account = await this.#accountOf(request);
    if (account === undefined) {
      const isPage = method === "GET" && segments.length === 0 && ["", "review", "stats"].includes(name);
      return { answer: isPage ? seeOther("login") : refusal(401, "sign in first") };
    }
    this.#options.onSeen?.();
    const answer =
      method === "GET"
        ? await this.#get(account, name, segments, request)
        : await this.#write(account, `${method} ${name}`, segments, request);
    return { answer: answer ?? refusal(404, "there is nothing at this path"), account };
  }

  /** What needs no session. */
  async #open(method: string, name: string, request: WireRequest): Promise<WireAnswer | undefined> {
    const { opens } = this.#options;
    switch (`${method} ${name}`) {
      case "GET start":
        return opens === undefined ? undefined : this.#start(request.query, opens);
      case "GET login":
        return opens === undefined ? htmlAnswer(loginPage()) : refusal(401, "the link works once");
      case "POST login":
        return this.#login(request);
      case "POST logout":
        return seeOther("login", { "set-cookie": this.#cookie("", 0, request) });
      default:
        return undefined;
    }
  }

  /**
   * A page of ours goes on to the review: a cookie that is set on the way from elsewhere is not sent along (SameSite), and
   * without a script only this changes that.
   */
  async #start(token: string, opens: string): Promise<WireAnswer> {
    const session = await this.#options.access.login(token, "");
    if (session === undefined) return refusal(401, "the link works once: run the command again");
    const to = opens.replace(/[<>"&]/g, (character) => `&#${character.charCodeAt(0)};`);
    return htmlAnswer(
      `<!DOCTYPE html><title>deckhand</title><meta http-equiv="refresh" content="0;url=${to}">`,
      {
        headers: { "set-cookie": `${this.#name}=${session}; HttpOnly; SameSite=Strict` },
      },
    );
  }

  async #login(request: WireRequest): Promise<WireAnswer> {
    const form = new URLSearchParams(await shortBody(request, 4096));
    const key = (form.get("key") ?? "").trim();
    const session = await this.#options.access.login(key, (form.get("name") ?? "").trim());
    if (session === undefined) return htmlAnswer(loginPage("This key is not valid."), { status: 403 });
    return seeOther("./", { "set-cookie": this.#cookie(session, sessionSeconds, request) });
  }

  get #name(): string {
    return this.#options.cookie ?? "deckhand-study";
  }

  /** Without a path: it is that of the page, also behind a proxy. The browser says whether it came by TLS. */
  #cookie(value: string, seconds: number, { headers }: WireRequest): string {
    const secure = /^https:/i.test(headers["origin"] ?? "") ? "; Secure" : "";
    return `${this.#name}=${value}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
  }

  async #accountOf({ headers }: WireRequest): Promise<string | undefined> {
    for (const part of (headers["cookie"] ?? "").split(/; */)) {
      const [name, session] = part.split("=", 2);
      if (name === this.#name && session) return this.#options.access.accountOf(session);
    }
    return undefined;
  }

  async #get(
    account: string,
    name: string,
    segments: readonly string[],
    request: WireRequest,
  ): Promise<WireAnswer | undefined> {
    const { service, onEnd } = this.#options;
    const [first, ...rest] = segments;
    if (first !== undefined) {
      const [last, ...more] = rest;
      if (name === "card" && last === undefined) {
        const [card] = await preparedCard(new AccountReader(service, account), decoded(first));
        return card && jsonAnswer(card);
      }
      if (name !== "files" || last === undefined || more.length > 0) return undefined;
      const path = `/cards/${first}/attachments/${last}`;
      const file = await service.send(account, { method: "GET", path, query: "", headers: {} });
      return partOf(file, request.headers["range"]);
    }
    switch (name) {
      case "":
        return htmlAnswer(await decksPage(new AccountReader(service, account)));
      case "review":
        return htmlAnswer(reviewPage());
      case "stats":
        return htmlAnswer(await studyStats(service, account), { styles: "'unsafe-inline'" });
      case "session":
        return jsonAnswer({
          ...(await sessionOf(service, account, request.query)),
          ends: onEnd !== undefined,
        });
      default:
        return undefined;
    }
  }

  async #write(
    account: string,
    operation: string,
    segments: readonly string[],
    { method, headers, body }: WireRequest,
  ): Promise<WireAnswer | undefined> {
    const { service, onEnd } = this.#options;
    if (segments.length === 0) {
      const how = operation === "POST done" ? "done" : operation === "POST left" ? "left" : undefined;
      if (how === undefined) return undefined;
      onEnd?.(how);
      return empty();
    }
    const path = Object.hasOwn(forwarded, operation) ? forwarded[operation]?.(segments) : undefined;
    if (path === undefined) return undefined;
    const passed = ["content-type", "content-length", "transfer-encoding"].flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name]]],
    );
    return service.send(account, { method, path, query: "", headers: Object.fromEntries(passed), body });
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** @returns "" for a body that is longer */
async function shortBody({ body }: WireRequest, most: number): Promise<string> {
  if (!(body instanceof Readable)) return body === undefined ? "" : Buffer.from(body).toString("utf8");
  let text = "";
  for await (const chunk of body) {
    text += String(chunk);
    if (text.length > most) return "";
  }
  return text;
}
