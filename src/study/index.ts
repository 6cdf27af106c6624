import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { WireAnswer, WireRequest } from "../schema/index.ts";
import { answer, htmlAnswer, jsonAnswer, partOf, refusal, seeOther } from "./answers.ts";
import { Assets } from "./assets.ts";
import { clientOf, sessionOf, studyCard } from "./card.ts";
import { decksPage, loginPage, type Page, pageHtml, reviewPage, startPage, studyStats } from "./pages.ts";
import type { Access, StudyService } from "./ports.ts";

export interface StudyOptions {
  readonly service: StudyService;
  readonly access: Access;
  /** The name of the session's cookie. Cookies do not tell ports apart. */
  readonly cookie: string;
  /** The page that the link which works once leads to. Without it people sign in with a key. */
  readonly opens?: string;
  /** Called when the review is over. */
  onEnd?(): void;
}

/** The study page: everything under `/study`. */
export class Study {
  readonly #options: StudyOptions;
  readonly #assets = new Assets();

  constructor(options: StudyOptions) {
    this.#options = options;
  }

  /** @returns the answer and whose it is; undefined for a path that is not of the page */
  async answer(request: WireRequest) {
    const { access, service } = this.#options;
    if (request.path === "/study") return { answer: seeOther("study/") };
    if (!request.path.startsWith("/study/")) return undefined;
    const asset = this.#assets.at(request);
    if (asset !== undefined) return { answer: asset };
    // It may break off before anything reads it.
    if (request.body instanceof Readable) request.body.on("error", () => {});
    try {
      const account = await access.accountOfSession(this.#sessionOf(request));
      return { answer: await this.#answer(request, account), account };
    } catch (error) {
      service.onError(error);
      return { answer: refusal(500, "the page failed; the log of the service says why") };
    }
  }

  async #answer(given: WireRequest, account: string | undefined): Promise<WireAnswer> {
    const path = given.path.slice("/study/".length);
    const method = given.method === "HEAD" ? "GET" : given.method;
    const request = { ...given, method, path };
    // A browser says which page writes: only ours may (the server has compared it with the host).
    if (method !== "GET" && given.headers["origin"] === undefined)
      return refusal(403, "only the page itself may do this");
    const open = await this.#open(request);
    if (open !== undefined) return open;
    if (account === undefined)
      return method === "GET" && ["", "review", "stats"].includes(path)
        ? seeOther("login")
        : refusal(401, "sign in first");
    // Somebody else has signed in since the page was opened: its answers are not of their cards.
    const opener = new URLSearchParams(request.query).get("account");
    if (opener !== null && opener !== account) return refusal(401, "sign in first");
    const found = method === "GET" ? this.#read(account, request) : this.#write(account, request);
    return (await found) ?? refusal(404, "there is nothing at this path");
  }

  /** What needs no session. */
  async #open(request: WireRequest): Promise<WireAnswer | undefined> {
    const { access, opens } = this.#options;
    switch (`${request.method} ${request.path}`) {
      case "GET login": {
        if (opens === undefined) return this.#page(loginPage());
        const session = await access.beginSession(request.query, "");
        if (session === undefined) return refusal(401, "the link works once: run the command again");
        return htmlAnswer(startPage(opens), { headers: this.#cookie(request, session) });
      }
      case "POST login": {
        const { body, headers } = request;
        const isShort = Number(headers["content-length"]) < 4096;
        const form = new URLSearchParams(isShort && body instanceof Readable ? await text(body) : "");
        const [key = "", name = ""] = ["key", "name"].map((field) => form.get(field)?.trim());
        const session = await access.beginSession(key, name);
        if (session === undefined) return this.#page(loginPage("This key is not valid."), 403);
        return seeOther("./", this.#cookie(request, session));
      }
      case "POST logout":
        await access.endSession(this.#sessionOf(request));
        return seeOther("login", this.#cookie(request, "", 0));
      default:
        return undefined;
    }
  }

  /** @returns "" where there is none */
  #sessionOf({ headers }: WireRequest): string {
    const parts = (headers["cookie"] ?? "").split(/; */).map((part) => part.split("=", 2));
    return parts.find(([name]) => name === this.#options.cookie)?.[1] ?? "";
  }

  #cookie({ headers }: WireRequest, session: string, seconds = this.#options.access.sessionSeconds) {
    const lasts = seconds === undefined ? "" : `; Max-Age=${seconds}`;
    // Without a path: it is that of the page, also behind a proxy. The browser says whether it came by TLS.
    const secure = headers["origin"]?.toLowerCase().startsWith("https:") ? "; Secure" : "";
    return { "set-cookie": `${this.#options.cookie}=${session}${lasts}; HttpOnly; SameSite=Strict${secure}` };
  }

  #page(page: Page, status = 200): WireAnswer {
    return htmlAnswer(pageHtml(page, this.#assets.version), { status });
  }

  /** A page, a card, or a file of one. */
  async #read(account: string, { path, query, headers }: WireRequest): Promise<WireAnswer | undefined> {
    const { service, onEnd, opens } = this.#options;
    if (path === "") return this.#page(await decksPage(service, account, opens === undefined));
    if (path === "review")
      return this.#page(reviewPage(await sessionOf(service, account, query), onEnd !== undefined));
    if (path === "stats")
      return htmlAnswer(await studyStats(service, account), { styles: "'unsafe-inline'" });
    const [, id] = /^card\/([\w-]+)$/.exec(path) ?? [];
    const card = id && (await studyCard(clientOf(service, account), id));
    if (card) return jsonAnswer(card);
    const [, owner, file] = /^files\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    if (file === undefined) return undefined;
    const request = { method: "GET", path: `/cards/${owner}/attachments/${file}`, query: "", headers: {} };
    return partOf(await service.send(account, request), headers["range"]);
  }

  async #write(account: string, request: WireRequest): Promise<WireAnswer | undefined> {
    const { service, onEnd } = this.#options;
    const operation = `${request.method} ${request.path}`;
    if (operation === "POST done") {
      onEnd?.();
      return answer(204);
    }
    // What the page may do of the API: record a review, take it back, and say what is asked today.
    if (!/^(?:POST reviews\/[^/]+|DELETE reviews\/[^/]+\/[^/]+|PUT today\/[^/]+)$/.test(operation))
      return undefined;
    const path = request.path.replace(/^(\w+)\/([^/]+)/, "/cards/$2/$1");
    return service.send(account, { ...request, path, query: "" });
  }
}
