import { settings } from "../../config/settings.ts";
import { UsageError } from "../../errors.ts";
import { formatStart, isTimeZone } from "../../schedule/days.ts";
import { argument, command, defined, valid } from "../shared/command.ts";
import { declareData, openData } from "./data.ts";
import { checkAccount } from "./key.ts";

const declared = () =>
  declareData(`Set the days of an account of \`deckhand serve\`, and how its cards are spread over them.

Without these an account has the time zone of the machine that \`deckhand serve\`
runs on; when its days begin, and how cards are spread over them, is as set there
(review.day-starts-at, review.balance, review.easy-days).

  deckhand serve account set anna --time-zone Europe/Oslo
  deckhand serve account set anna --day-starts-at 03:00 --data ./cards
  deckhand serve account set anna --easy-days "sat 50 %, sun 0"`)
    .addArgument(argument("<action>", "what to do").choices(["set"]))
    .argument("<account>", "which account")
    .option("--time-zone <name>", "the time zone of its user, such as Europe/Oslo", valid(timeZones))
    .option(
      "--day-starts-at <HH:MM>",
      "when a day begins: 00:00 to 12:00",
      valid(settings["review.day-starts-at"]),
    )
    .option("--balance", "choose the day of a card by how many are due on it, as is usual")
    .option("--no-balance", "let cards come back after the plain interval")
    .option("--easy-days <days>", "days with fewer cards", valid(settings["review.easy-days"]));

const timeZones = {
  mustBe: "the name of a time zone, such as Europe/Oslo",
  parse: (text: string) => (isTimeZone(text) ? text : undefined),
};

export const accountCommand = command(declared, async (_action, name, options, context) => {
  const account = checkAccount(name);
  const { timeZone, dayStartsAt: startsAt, balance, easyDays } = options;
  if ([timeZone, startsAt, balance, easyDays].every((each) => each === undefined))
    throw new UsageError("nothing to set", { hint: 'See "deckhand serve account --help".' });
  if (context.options.dryRun) return context.io.note(`Would set the days of the account ${account}`);
  const application = await openData(options, context);
  try {
    const days = await application.setDays(account, defined({ timeZone, startsAt }));
    const begin = days.startsAt === null ? "the default time" : formatStart(days.startsAt);
    context.io.say(`Days of ${account} begin at ${begin}, time zone ${days.timeZone ?? "of the server"}`);
    const schedule = defined({ balance, "easy-days": easyDays });
    if (Object.keys(schedule).length > 0) await application.setSchedule(account, schedule);
  } finally {
    await application.close();
  }
});
