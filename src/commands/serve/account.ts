import { Argument, InvalidArgumentError } from "commander";
import { settings } from "../../config/settings.ts";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { formatStart, isTimeZone } from "../../schedule/days.ts";
import { command, type Declared, described } from "../shared/command.ts";
import { type DataOptions, openData, withDataOptions } from "./data.ts";
import { checkAccount } from "./key.ts";

interface AccountOptions extends DataOptions {
  readonly timeZone?: string;
  readonly dayStartsAt?: number;
}

export const accountCommand = command(
  () =>
    withDataOptions(
      described(`Set the days of an account of \`deckhand serve\`: its time zone, and when its days begin.

Without them an account has the time zone of the machine that \`deckhand serve\`
runs on, and days that begin at 04:00 (the setting review.day-starts-at there).

Examples:
  deckhand serve account set anna --time-zone Europe/Oslo
  deckhand serve account set anna --day-starts-at 03:00 --data ./cards`),
    )
      .addArgument(new Argument("<action>", "what to do").choices(["set"]))
      .argument("<account>", "which account")
      .option("--time-zone <name>", "the time zone of its user, such as Europe/Oslo", parseTimeZone)
      .option(
        "--day-starts-at <HH:MM>",
        "when a day begins on its user's clock, 00:00 to 12:00",
        parseDayStart,
      ) as unknown as Declared<[action: string, account: string], AccountOptions>,
  (_action, account, options, context) => setAccount(account, options, context),
);

async function setAccount(name: string, options: AccountOptions, context: Context): Promise<void> {
  const account = checkAccount(name);
  const { timeZone, dayStartsAt: startsAt } = options;
  if (timeZone === undefined && startsAt === undefined)
    throw new UsageError("nothing to set: give --time-zone, --day-starts-at or both");
  if (context.options.dryRun) return context.io.note(`Would set the days of the account ${account}`);
  const application = await openData(options, context);
  try {
    const days = await application.setDays(account, {
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(startsAt === undefined ? {} : { startsAt }),
    });
    const begin = days.startsAt === null ? "the default time" : formatStart(days.startsAt);
    context.io.say(`Days of ${account} begin at ${begin}, time zone ${days.timeZone ?? "of the server"}`);
  } finally {
    await application.close();
  }
}

function parseTimeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError("It must be the name of a time zone, such as Europe/Oslo.");
}

function parseDayStart(text: string): number {
  const { parse, mustBe } = settings["review.day-starts-at"];
  const start = parse(text);
  if (start === undefined) throw new InvalidArgumentError(`It must be ${mustBe}.`);
  return start;
}
