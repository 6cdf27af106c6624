import { Readable } from "node:stream";
import type { WireAnswer, WireRequest } from "../schema/index.ts";
import { AccountReader } from "./account.ts";
import { empty, htmlAnswer, jsonAnswer, partOf, refusal, seeOther } from "./answers.ts";
import { readAssets } from "./assets.ts";
import { sessionOf, studyCard } from "./card.ts";
import { decksPage, html, loginPage, reviewPage } from "./pages.ts";
import type { Access, StudyService } from "./ports.ts";
import { studyStats } from "./stats.ts";

export interface StudyOptions {
  readonly service: StudyService;
  readonly access: Access;
  /** Of the session's cookie. Cookies do not tell ports apart. */
  readonly cookie?: string;
  /** The page that the link which works once leads to. Without it people sign in with a key. */
  readonly opens?: string;
  /** Called when the review is over. */
  onEnd?(): void;
}

export type Study = Pick<Site, "answer">;

/** The study page: everything under `/study`. */
export async function openStudy(options: StudyOptions): Promise<Study> {
  return new Site({ ...options, service: inTurn(options.service) }, await readAssets());
}

/** The requests that the page makes of an account wait for each other, as those of any other client do. */
function inTurn(service: StudyService): StudyService {
  const last = new Map<string, Promise<unknown>>();
  const send: StudyService["send"] = (account, request) => {
    const answer = (last.get(account) ?? Promise.resolve()).then(() => service.send(account, request));
    last.set(
      account,
      answer.catch(() => {}),
    );
    return answer;
  };
  return { ...service, send };
}

const pages: readonly string[] = ["", "review", "stats"];

class Site {
  readonly #options: StudyOptions;
  readonly #assets: ReadonlyMap<string, WireAnswer>;

  constructor(options: StudyOptions, assets: ReadonlyMap<string, WireAnswer>) {
    this.#options = options;
    this.#assets = assets;
  }

  /** @returns the answer and whose it is; undefined for a path that is not of the page */
  async answer(
    request: WireRequest,
  ): Promise<{ readonly answer: WireAnswer; readonly account?: string | undefined } | undefined> {
    const { access, service } = this.#options;
    if (request.path === "/study") return { answer: seeOther("study/") };
    if (!request.path.startsWith("/study/")) return undefined;
    // It may break off before anything reads it.
    if (request.body instanceof Readable) request.body.on("error", () => {});
    try {
      const session = this.#sessionOf(request);
      const account = session === undefined ? undefined : await access.accountOf(session);
      return { answer: await this.#answer(request, account), account };
    } catch (error) {
      service.onError(error);
      return { answer: refusal(500, "the page failed; the log of the service says why") };
    }
  }

  #sessionOf({ headers }: WireRequest): string | undefined {
    const parts = (headers["cookie"] ?? "").split(/; */).map((part) => part.split("=", 2));
    return parts.find(([name]) => name === this.#cookieName)?.[1] || undefined;
  }

  async #answer(request: WireRequest, account: string | undefined): Promise<WireAnswer> {
    const path = request.path.slice("/study/".length);
    const method = request.method === "HEAD" ? "GET" : request.method;
    // A browser says which page writes: only ours may (the server has compared it with the host).
    if (method !== "GET" && request.headers["origin"] === undefined)
      return refusal(403, "only the page itself may do this");
    const open = method === "GET" ? await this.#open(path, request) : await this.#signing(path, request);
    if (open !== undefined) return open;
    if (account === undefined)
      return method === "GET" && pages.includes(path) ? seeOther("login") : refusal(401, "sign in first");
    const answer =
      method === "GET" ? this.#read(account, path, request) : this.#write(account, path, request);
    return (await answer) ?? refusal(404, "there is nothing at this path");
  }

  /** What is read without a session. */
  async #open(path: string, { query }: WireRequest): Promise<WireAnswer | undefined> {
    const { opens, access } = this.#options;
    if (path === "login" && opens === undefined) return htmlAnswer(loginPage());
    if (path !== "start" || opens === undefined) return this.#assets.get(path);
    const session = await access.login(query, "");
    if (session === undefined) return refusal(401, "the link works once: run the command again");
    // A page of ours goes on to the review: a cookie set on the way from elsewhere is not sent along (SameSite).
    const body = html`<!DOCTYPE html><title>deckhand</title><meta http-equiv="refresh" content="0;url=${opens}">`;
    const cookie = `${this.#cookieName}=${session}; HttpOnly; SameSite=Strict`;
    return htmlAnswer(body.text, { headers: { "set-cookie": cookie } });
  }

  async #signing(path: string, request: WireRequest): Promise<WireAnswer | undefined> {
    // Without a path: it is that of the page, also behind a proxy. The browser says whether it came by TLS.
    const secure = /^https:/i.test(request.headers["origin"] ?? "") ? "; Secure" : "";
    const cookie = (value: string, seconds: number) => ({
      "set-cookie": `${this.#cookieName}=${value}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`,
    });
    if (path === "logout") {
      await this.#options.access.logout(this.#sessionOf(request) ?? "");
      return seeOther("login", cookie("", 0));
    }
    if (path !== "login" || request.method !== "POST") return undefined;
    const form = new URLSearchParams(await shortBody(request, 4096));
    const [key, name] = ["key", "name"].map((field) => (form.get(field) ?? "").trim());
    const { access } = this.#options;
    const session = await access.login(key ?? "", name ?? "");
    if (session === undefined) return htmlAnswer(loginPage("This key is not valid."), { status: 403 });
    return seeOther("./", cookie(session, access.lasts ?? 0));
  }

  get #cookieName(): string {
    return this.#options.cookie ?? "deckhand-study";
  }

  /** A page, the session, a card, or a file of one. */
  async #read(
    account: string,
    path: string,
    { query, headers }: WireRequest,
  ): Promise<WireAnswer | undefined> {
    const { service, onEnd } = this.#options;
    const reader = new AccountReader(service, account);
    if (path === "") return htmlAnswer(await decksPage(reader));
    if (path === "review") return htmlAnswer(reviewPage());
    if (path === "stats")
      return htmlAnswer(await studyStats(service, account), { styles: "'unsafe-inline'" });
    if (path === "session")
      return jsonAnswer({ ...(await sessionOf(service, account, query)), ends: onEnd !== undefined });
    const [kind, id = "", file, ...others] = path.split("/");
    if (kind === "card" && file === undefined && /^[\w-]+$/.test(id)) {
      const card = await studyCard(reader, id);
      return card && jsonAnswer(card);
    }
    if (kind !== "files" || !id || !file || others.length > 0) return undefined;
    const request = { method: "GET", path: `/cards/${id}/attachments/${file}`, query: "", headers: {} };
    return partOf(await service.send(account, request), headers["range"]);
  }

  async #write(
    account: string,
    path: string,
    { method, query, headers, body }: WireRequest,
  ): Promise<WireAnswer | undefined> {
    const { service, onEnd } = this.#options;
    const operation = `${method} ${path}`;
    // Somebody else has signed in since the page was opened: its answers are not of their cards.
    const opener = new URLSearchParams(query).get("account");
    if (opener !== null && opener !== account) return refusal(401, "sign in first");
    if (operation === "POST done") {
      onEnd?.();
      return empty();
    }
    // What the page may do of the API: record a review, take it back, and say what is asked today.
    if (!/^(?:POST reviews\/[^/]+|DELETE reviews\/[^/]+\/[^/]+|PUT today\/[^/]+)$/.test(operation))
      return undefined;
    const [kind, card, date] = path.split("/");
    const own = `/cards/${card}/${kind}${date === undefined ? "" : `/${date}`}`;
    const passed = ["content-type", "content-length", "transfer-encoding"].flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name]]],
    );
    return service.send(account, { method, path: own, query: "", headers: Object.fromEntries(passed), body });
  }
}

/** @returns "" for a body that is longer */
async function shortBody({ body }: WireRequest, most: number): Promise<string> {
  let text = "";
  if (body instanceof Readable)
    for await (const chunk of body) {
      text += String(chunk);
      if (text.length > most) return "";
    }
  return text;
}
