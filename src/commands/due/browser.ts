import { createHash, randomBytes } from "node:crypto";
import { openLocal } from "../../context/connect.ts";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import type { Access } from "../../study/ports.ts";
import { defined } from "../shared/command.ts";
import { untilAborted } from "../shared/time.ts";
import type { SessionOptions } from "./day.ts";
import { launch } from "./open-link.ts";
import { todayQuery } from "./today.ts";

const secret = () => randomBytes(24).toString("base64url");

/** The port of a collection: a browser keeps by the address what could not be sent, and sends it in the next review. */
const portOf = (folder: string) =>
  20_000 + (createHash("sha256").update(folder).digest().readUInt16BE() % 10_000);

/** Reviews the local collection on the study page: on a port of this machine, with a link that works once, until the review ends. */
export async function reviewInBrowser(options: SessionOptions, context: Context): Promise<void> {
  if (context.account().kind !== "local")
    throw new UsageError("--browser is for the local collection", {
      hint: "The `deckhand serve` that has the account shows the same page at /study.",
    });
  const { limit, type } = options;
  // That of today's cards in the API, and what else the page takes.
  const query = defined({ ...(await todayQuery(options, context)), limit, type: type ? 1 : undefined });
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]);
  const { startServer } = await import("../../service/server.ts");
  const application = await openLocal(context, (id) => context.io.warn(`card ${id} is damaged`));
  try {
    const ended = new AbortController();
    const token = secret();
    const study = await application.study({
      access: linkAccess(token),
      cookie: `deckhand-${randomBytes(6).toString("hex")}`,
      opens: `review?${new URLSearchParams(pairs)}`,
      onEnd: () => ended.abort(),
    });
    const start = (port: number) =>
      startServer(application, { host: "127.0.0.1", port, study, only: "study" });
    const server = await start(portOf(context.folders.data)).catch(() => start(0));
    try {
      const link = `${server.url}/study/login?${token}`;
      const isOpen = await launch(link, context);
      await context.io.write(`${link}\n`);
      const which = isOpen ? "Opened in the browser; the link" : "Open this link in a browser; it";
      context.io.say(`${which} works once. Ctrl-C ends the review.`);
      await untilAborted(AbortSignal.any([ended.signal, context.signal]));
    } finally {
      await server.close();
    }
  } finally {
    await application.close();
  }
}

/** The session of the person at this machine, which the link begins; a second use of it begins none. Sets compare no secret letter by letter. */
function linkAccess(token: string): Access {
  const session = secret();
  const [links, sessions] = [new Set([token]), new Set([session])];
  return {
    accountOfSession: async (given) => (sessions.has(given) ? "default" : undefined),
    beginSession: async (given) => (links.delete(given) ? session : undefined),
    endSession: async (given) => void sessions.delete(given),
  };
}
