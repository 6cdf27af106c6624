import { Buffer } from "node:buffer";

/**
 * The key of an Authorization header (service-api.md, Authentication): the user name of Basic, with an empty password or
 * none. Undefined for anything else.
 */
export function basicKey(header: string | undefined): string | undefined {
  const match = /^basic +([a-z0-9+/_-]+={0,2})\s*$/i.exec(header ?? "");
  if (match === null) return undefined;
  const credentials = Buffer.from(match[1] ?? "", "base64").toString("utf8");
  const colon = credentials.indexOf(":");
  if (colon === -1) return credentials;
  return colon === credentials.length - 1 ? credentials.slice(0, -1) : undefined;
}
