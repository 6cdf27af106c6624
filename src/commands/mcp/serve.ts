import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { command, declare, type OptionsOf } from "../shared/command.ts";
import { deckFrom } from "../shared/names.ts";

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

  deckhand mcp --read-only
  deckhand mcp --deck Languages/Spanish`)
    .option("-d, --deck <deck>", "only this deck and those under it (id, name or path)")
    .option("--read-only", "only the tools that read");

export const mcpCommand = command(declared, serve);

async function serve(options: OptionsOf<typeof declared>, context: Context): Promise<void> {
  if (context.options.dryRun) throw new UsageError("serving agents cannot be a dry run: see --read-only");
  const { serveTools } = await import("./tools.ts");
  const home = (await deckFrom(options, context))?.id;
  await serveTools({ context, client: await context.client(), home }, options.readOnly === true);
}
