import { openLocal } from "../../context/connect.ts";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { launch } from "./open-link.ts";
import type { ReviewOptions } from "./review-options.ts";

/** A page that was closed may have been reloaded: it has so long to say so, in milliseconds. */
const patience = 5_000;

/** Reviews the local collection on the study page: on a port of this machine, with a link that works once, until the review ends. */
export async function reviewInBrowser(options: ReviewOptions, context: Context): Promise<void> {
  if (context.account().kind !== "local")
    throw new UsageError("--browser is for the local collection", {
      hint: "The `deckhand serve` that has the account shows the same page at /study.",
    });
  const query = await queryOf(options, context);
  const [{ startServer }, { linkAccess }] = await Promise.all([
    import("../../service/server.ts"),
    import("../../study/index.ts"),
  ]);
  const application = await openLocal(context, (id) => context.io.warn(`card ${id} is damaged`));
  try {
    const access = linkAccess("default");
    const end = new Ending(context.signal);
    const study = await application.study({
      access,
      cookie: `deckhand-${access.token.replace(/[^A-Za-z\d]/g, "").slice(0, 8)}`,
      opens: `review?${query}`,
      onEnd: (how) => end.announce(how),
      onSeen: () => end.seen(),
    });
    const server = await startServer(application, { host: "127.0.0.1", port: 0, study, only: "study" });
    try {
      const link = `${server.url}/study/start?${access.token}`;
      const opened = await launch(link, context);
      await context.io.write(`${link}\n`);
      context.io.say(
        opened
          ? "Opened in the browser; the link works once. Ctrl-C ends the review."
          : "Open this link in a browser; it works once. Ctrl-C ends the review.",
      );
      await end.reached;
    } finally {
      await server.close();
    }
  } finally {
    await application.close();
  }
}

/** The query of the page: that of today's cards in the API, and what else the page takes. */
async function queryOf(options: ReviewOptions, context: Context): Promise<string> {
  const { deck, limit, new: fresh, order, type } = options;
  const query = {
    "deck-id": deck === undefined ? undefined : (await (await context.names()).deck(deck)).id,
    order: order === "retrievability" ? "hardest" : order,
    "new-per-day": fresh === "all" ? 999_999_999 : fresh,
    "new-in-backlog": fresh === undefined ? undefined : "yes",
    limit,
    type: type === true ? 1 : undefined,
  };
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return new URLSearchParams(given).toString();
}

/** When the review is over: the page says so, was closed and not opened again, or the program is stopped. */
class Ending {
  readonly reached: Promise<void>;
  #reach = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal) {
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  announce(how: "done" | "left"): void {
    clearTimeout(this.#timer);
    if (how === "done") this.#reach();
    else this.#timer = setTimeout(this.#reach, patience);
  }

  /** Somebody is there (still, or again). */
  seen(): void {
    clearTimeout(this.#timer);
  }
}
