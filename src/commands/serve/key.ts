import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import { instant, keyword } from "../../schema/kinds.ts";
import { listingOf } from "../../schema/resources.ts";
import type { Application } from "../../service/app.ts";
import { argument, command } from "../shared/command.ts";
import { assertCollection, declareData, openData, placeOf } from "./data.ts";

const actions = ["add", "list", "remove", "revoke"] as const;
type Action = (typeof actions)[number];

const keys = listingOf("keys", { account: keyword(), created: instant() });

const declared = () =>
  declareData(`Manage the keys of \`deckhand serve\`; add prints a new key, once.

A key is the user name of HTTP basic authentication, with an empty password.
"remove" deletes the keys of an account; "revoke" keeps them, and signs out all
browsers that have the study page open.

  deckhand serve key add anna
  deckhand serve key list
  deckhand serve key remove anna --data ./cards
  deckhand serve key add anna --database postgres://deckhand@db/cards`)
    .addArgument(argument("<action>", "what to do").choices(actions))
    .argument("[account]", "account of the key; every account has its own collection");

export const keyCommand = command(declared, async (action, account, options, context) => {
  const name = accountFor(action, account);
  if (context.options.dryRun && action !== "list")
    return context.io.note(`Would ${intents[action]} of the account ${name}`);
  if (action !== "add" && options.data !== undefined) assertCollection(placeOf(options, context));
  if (action === "add") await context.print.checkFilter();
  const application = await openData(options, context);
  try {
    if (action === "list") await context.print.list(keys, await application.keys.list());
    else if (action === "add") await printKey(name, await application.keys.add(name), context);
    else if (action === "remove") await remove(name, application, context);
    else {
      await application.keys.revokeSessions(name);
      context.io.say(`Signed out all browsers of the account ${name}`);
    }
  } finally {
    await application.close();
  }
});

const intents = { add: "add a key", remove: "remove all keys", revoke: "end the sessions" };

/** The only place where the key is printed. */
async function printKey(account: string, key: string, context: Context): Promise<void> {
  if (context.print.json) await context.print.value({ account, key });
  else await context.io.write(`${key}\n`);
}

async function remove(account: string, application: Application, context: Context): Promise<void> {
  const count = await application.keys.remove(account);
  if (count === 0) throw new DeckhandError("not-found", `the account ${JSON.stringify(account)} has no key`);
  context.io.say(`Removed ${count === 1 ? "the key" : `${count} keys`} of the account ${account}`);
}

/** Account names appear in the store, in lists and on command lines. */
function accountFor(action: Action, account: string | undefined): string {
  if (action === "list") {
    if (account !== undefined) throw new UsageError("serve key list takes no account");
    return "";
  }
  if (account === undefined) throw new UsageError(`serve key ${action} needs an account`);
  return checkAccount(account);
}

/** @throws UsageError for a name that no account can have */
export function checkAccount(account: string): string {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u.test(account))
    throw new UsageError(
      `${JSON.stringify(account)} can't be an account: letters, digits, dots, dashes, underscores and @, at most 64`,
    );
  return account;
}
