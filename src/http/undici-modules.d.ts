// undici's types describe its one entry; network.ts imports only the modules that it needs.
declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}
declare module "undici/lib/core/connect.js" {
  import type { Socket } from "node:net";
  import type { buildConnector } from "undici";
  /** What its connectors give back is not in undici's types. */
  export default function build(
    options: buildConnector.BuildOptions,
  ): (options: buildConnector.Options & { httpSocket?: Socket }, callback: buildConnector.Callback) => Socket;
}
