import { randomBytes, timingSafeEqual } from "node:crypto";
import { openLocal } from "../../context/connect.ts";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import type { Access } from "../../study/ports.ts";
import { defined } from "../shared/command.ts";
import { untilAborted } from "../shared/time.ts";
import type { SessionOptions } from "./day.ts";
import { launch } from "./open-link.ts";
import { todayQuery } from "./today.ts";

/** Reviews the local collection on the study page: on a port of this machine, with a link that works once, until the review ends. */
export async function reviewInBrowser(options: SessionOptions, context: Context): Promise<void> {
  if (context.account().kind !== "local")
    throw new UsageError("--browser is for the local collection", {
      hint: "The `deckhand serve` that has the account shows the same page at /study.",
    });
  const query = await queryOf(options, context);
  const { startServer } = await import("../../service/server.ts");
  const application = await openLocal(context, (id) => context.io.warn(`card ${id} is damaged`));
  try {
    const ended = new AbortController();
    const token = randomBytes(24).toString("base64url");
    const study = await application.study({
      access: linkAccess(token),
      cookie: `deckhand-${randomBytes(6).toString("hex")}`,
      opens: `review?${query}`,
      onEnd: () => ended.abort(),
    });
    const server = await startServer(application, { host: "127.0.0.1", port: 0, study, only: "study" });
    try {
      const link = `${server.url}/study/start?${token}`;
      const opened = await launch(link, context);
      await context.io.write(`${link}\n`);
      context.io.say(
        opened
          ? "Opened in the browser; the link works once. Ctrl-C ends the review."
          : "Open this link in a browser; it works once. Ctrl-C ends the review.",
      );
      await untilAborted(AbortSignal.any([ended.signal, context.signal]));
    } finally {
      await server.close();
    }
  } finally {
    await application.close();
  }
}

/** The one session of the person at this machine, which the link begins; a second use of it begins none. */
function linkAccess(token: string): Access {
  const session = randomBytes(24).toString("base64url");
  let used = false;
  return {
    accountOf: async (given) => (isSame(given, session) ? "default" : undefined),
    async login(given) {
      if (used || !isSame(given, token)) return undefined;
      used = true;
      return session;
    },
    logout: async () => {},
  };
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The query of the page: that of today's cards in the API, and what else the page takes. */
async function queryOf(options: SessionOptions, context: Context): Promise<string> {
  const { limit, type } = options;
  const query = defined({ ...(await todayQuery(options, context)), limit, type: type ? 1 : undefined });
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]);
  return new URLSearchParams(pairs).toString();
}
