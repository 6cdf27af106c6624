import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientOfMajorBefore } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportOfMajorBefore } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished } from "vitest";
import { type Cli, cli, program } from "../support/cli.ts";

/** How a client speaks: the current revision of the protocol, the one before, or with the client of the major before. */
export const eras = ["current", "before", "major before"] as const;
export type Era = (typeof eras)[number];

interface Result {
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
}

export interface Agent {
  readonly d: Cli;
  readonly tools: readonly { readonly name: string; readonly outputSchema?: unknown }[];
  /** What a tool answers. The client, which has read the list of tools, refuses what is not valid against its schema. */
  call(name: string, args?: object): Promise<Record<string, unknown>>;
  /** What a tool says where it fails. */
  fails(name: string, args?: object): Promise<string>;
  close(): Promise<void>;
}

export interface AgentOptions {
  readonly d?: Cli;
  readonly era?: Era;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Answers what the server asks the user; without it the client cannot be asked. */
  readonly answer?: (message: string) => boolean;
}

export function home(): Cli {
  const d = cli();
  onTestFinished(() => d.remove());
  return d;
}

export async function agent({
  d = home(),
  era = "current",
  args = [],
  env = {},
  answer,
}: AgentOptions = {}): Promise<Agent> {
  const given = Object.entries({ ...d.env, ...env }).filter(
    (each): each is [string, string] => each[1] !== undefined,
  );
  const server = {
    command: process.execPath,
    args: [program, "mcp", ...args],
    env: Object.fromEntries(given),
  };
  const info = { name: "test", version: "1" };
  const options = { capabilities: answer === undefined ? {} : { elicitation: { form: {} } } };
  const client =
    era === "major before"
      ? new ClientOfMajorBefore(info, options)
      : new Client(info, {
          ...options,
          versionNegotiation: { mode: era === "current" ? { pin: "2026-07-28" } : "legacy" },
        });
  if (answer !== undefined && client instanceof Client)
    client.setRequestHandler("elicitation/create", async ({ params }) => ({
      action: answer(params.message) ? "accept" : "decline",
    }));
  await (client instanceof Client
    ? client.connect(new StdioClientTransport(server))
    : client.connect(new TransportOfMajorBefore(server)));
  const close = () => client.close();
  onTestFinished(close);
  const { tools } = await client.listTools();
  const send = async (name: string, args: object): Promise<Result> =>
    (await client.callTool({ name, arguments: { ...args } })) as Result;
  return {
    d,
    tools,
    close,
    async call(name, args = {}) {
      const { structuredContent, isError, content } = await send(name, args);
      expect(isError, content?.[0]?.text).not.toBe(true);
      expect(JSON.parse(content?.[0]?.text ?? "")).toEqual(structuredContent);
      return structuredContent ?? {};
    },
    async fails(name, args = {}) {
      const { isError, content } = await send(name, args);
      expect(isError).toBe(true);
      return content?.[0]?.text ?? "";
    },
  };
}
