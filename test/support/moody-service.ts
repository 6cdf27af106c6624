import { pipeline, Readable } from "node:stream";
import { onTestFinished } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { WireAnswer } from "../../src/schema/index.ts";
import { withTransport } from "./collection.ts";
import { fakeService, sendJson } from "./fake-service.ts";
import { handled } from "./handled.ts";
import { openTestApplication, type TestApplication } from "./service.ts";

/** How a service behaves now; a test may change it at any time. */
export interface Mood {
  /** Connections are closed without an answer, and nothing is done. */
  down: boolean;
  /** Milliseconds before a request is carried out. */
  delay(): number;
  /** Whether the answer is lost although the request was carried out. */
  loses(): boolean;
  /** Whether it fails at the request, with 500, and does nothing. */
  fails(url: string): boolean;
  /** A hosted service: nothing but the documented interface. */
  documentedOnly: boolean;
}

export interface MoodyService {
  readonly url: string;
  readonly key: string;
  readonly mood: Mood;
  readonly application: TestApplication;
  /** Methods and paths of the requests so far. */
  requests(): string[];
  /** Works on the collection behind it, whatever its mood. */
  collection<T>(work: (client: Client) => Promise<T>): Promise<T>;
}

/** The real service behind a server that is slow, loses answers or goes away, as the test says. */
export async function moodyService(mood: Partial<Mood> = {}): Promise<MoodyService> {
  const now: Mood = {
    down: false,
    delay: () => 0,
    loses: () => false,
    fails: () => false,
    documentedOnly: false,
    ...mood,
  };
  const application = await openTestApplication();
  const service = await fakeService(async (request, response) => {
    const drop = () => void response.socket?.destroy();
    if (now.down) return drop();
    await new Promise((resolve) => setTimeout(resolve, now.delay()));
    if (now.fails(request.url)) return sendJson(response, 500, { errors: ["no"] });
    const [path = "", query = ""] = request.url.split("?");
    const hidden =
      now.documentedOnly &&
      (path === "/" ||
        path.includes("/reviews") ||
        (request.method === "GET" && path.includes("/attachments")));
    const { "if-match": _, "if-none-match": __, ...headers } = request.headers;
    const answer: WireAnswer = hidden
      ? { status: 404, headers: { "content-type": "application/json" }, body: '{"errors":["not found"]}' }
      : await handled(application, {
          method: request.method,
          path,
          query,
          headers: (now.documentedOnly ? headers : request.headers) as Record<string, string>,
          body: request.body.length === 0 ? undefined : request.body,
        });
    if (now.loses()) {
      if (answer.body instanceof Readable) answer.body.destroy();
      return drop();
    }
    response.writeHead(answer.status, answer.headers);
    if (answer.body instanceof Readable) pipeline(answer.body, response, () => {});
    else response.end(answer.body);
  });
  onTestFinished(() => service.close());
  return {
    url: service.url,
    key: application.key,
    mood: now,
    application,
    requests: () => service.requests.map(({ method, url }) => `${method} ${url}`),
    collection: (work) => withTransport(application.as("default"), work),
  };
}
