import { type HostedAccount, isPrivateWay } from "../../config/account.ts";
import type { Context } from "../../context.ts";
import { NotConfiguredError } from "../../errors.ts";

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
    if (context.dryRun) await context.showPlan(call);
    else await call.send();
  } finally {
    await connection.close();
  }
  return !context.dryRun;
}
