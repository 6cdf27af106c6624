import { setMaxListeners } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { version } from "../../package.json";
import type { Context } from "../context/context.ts";
import { idsUnder } from "../decks/lines.ts";
import { UsageError } from "../errors.ts";
import type { ServerPorts } from "../mcp/server.ts";
import { searched } from "./cards/search.ts";
import { todayByDeck, unknownFigures } from "./decks/list.ts";
import { plainSettings } from "./due/session.ts";
import { command, declare, type OptionsOf } from "./shared/command.ts";
import { deckFrom } from "./shared/names.ts";
import { allFigures } from "./stats/stats.ts";

const declared = () =>
  declare(`Serve agents over the Model Context Protocol, on standard input and output.

The program that starts it speaks to it: it is no command for a terminal. Ten tools find, read, create and change cards,
and quiz: an answer is given only after its question. An agent with a shell needs no server: "deckhand help agents".

Claude Code:
  claude mcp add deckhand -- deckhand mcp
Claude Desktop, Cursor and others, in their configuration:
  {"mcpServers": {"deckhand": {"command": "deckhand", "args": ["mcp"]}}}
VS Code:
  code --add-mcp '{"name": "deckhand", "command": "deckhand", "args": ["mcp"]}'

Examples:
  deckhand mcp --read-only
  deckhand mcp --deck Languages/Spanish`)
    .option("-d, --deck <deck>", "only this deck and those under it (id, name or path)")
    .option("--read-only", "only the tools that read");

export const mcpCommand = command(declared, serve);

async function serve(options: OptionsOf<typeof declared>, context: Context): Promise<void> {
  if (context.options.dryRun)
    throw new UsageError("serving agents cannot be a dry run", {
      hint: "Tools that write take dryRun of their own; --read-only leaves them out.",
    });
  const [{ serveStdio, StdioServerTransport }, { Tools }] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    import("../mcp/server.ts"),
  ]);
  // Calls come in parallel, and each waits for its turn at the service.
  setMaxListeners(0, context.signal);
  const home = (await deckFrom(options, context))?.id;
  const tools = new Tools(await portsOf(home, options.readOnly === true, context));
  const { stdin, stdout } = context.io;
  const transport = new StdioServerTransport(stdin, stdout);
  const handle = serveStdio(() => tools.server(), { transport });
  await new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) stdin.once(event, () => resolve());
    stdout.once("error", () => resolve());
    context.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await tools.close();
  await handle.close();
}

/** @param home the deck that the server is confined to */
async function portsOf(home: string | undefined, readOnly: boolean, context: Context): Promise<ServerPorts> {
  return {
    ...{ version, readOnly, home, signal: context.signal, now: context.clock.now },
    client: await context.client(),
    decks: (today) => decksOf(home, today !== undefined, context),
    search: (query) => searched(query, context),
    async openSession(ticks, onChange) {
      const { Play } = await import("../review/session/play.ts");
      const settings = await plainSettings({ deck: home, recursive: true, timestamp: undefined }, context);
      const { world } = settings;
      const render: typeof world.render = (...of) => world.render(...of).map(stripVTControlCharacters);
      const clock = { now: context.clock.now, ticks };
      return new Play({ ...settings, clock, world: { ...world, render } }, onChange);
    },
    figures: async () => (await allFigures(context, home)).figures,
  };
}

/** The decks that may be used: those in the trash are not. */
async function decksOf(home: string | undefined, now: boolean, context: Context) {
  const names = await context.names();
  const known = await names.decks({ now });
  const inside = home === undefined ? undefined : idsUnder([home], known);
  const figures = now
    ? await todayByDeck(context).catch(unknownFigures)
    : () => ({ due: null, new: null, cards: null });
  const decks = [];
  for (const { id, name, parent = null, trashed } of known)
    if (!trashed && (inside === undefined || inside.has(id)))
      decks.push({ id, name, path: (await names.path(id)) ?? name, parent, ...figures(id) });
  return decks;
}
