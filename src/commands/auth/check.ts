import { type HostedAccount, isPrivateWay } from "../../config/account.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, NotConfiguredError } from "../../errors.ts";

/**
 * Makes sure that a service answers there and takes the key, before either is saved. Asks for something that every
 * service documents, and that needs the key.
 *
 * @returns false in a dry run, which only prints the request
 */
export async function checkAccount(
  given: { readonly baseUrl: string; readonly key: string; readonly allowInsecure: boolean },
  context: Context,
): Promise<boolean> {
  const { baseUrl, key, allowInsecure } = given;
  if (!allowInsecure && !isPrivateWay(baseUrl))
    throw new NotConfiguredError(`a key is not sent over plain http to ${new URL(baseUrl).host}`, {
      hint: "Use https, or allow it with --allow-insecure.",
    });
  const account: HostedAccount = {
    kind: "hosted",
    profile: undefined,
    baseUrl,
    key,
    keyOrigin: "environment",
  };
  const { connect } = await import("../../context/connect.ts");
  const connection = await connect({ ...context, account: () => account });
  try {
    const call = connection.client.decks.list();
    if (context.options.dryRun) await context.print.call(call);
    else await call.send().catch((error) => Promise.reject(unsaved(error)));
  } finally {
    await connection.close();
  }
  return !context.options.dryRun;
}

/** The error with what helps here. */
function unsaved(error: unknown): unknown {
  if (!(error instanceof DeckhandError)) return error;
  const doubt: Partial<Record<string, string>> = {
    unauthorized: "Is it the key of that service?",
    "not-found": "Is the base URL that of the service?",
  };
  const hint = `${doubt[error.code] ?? error.hint ?? ""} Nothing was saved.`.trim();
  return error.with({ hint });
}
