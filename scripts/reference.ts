import type { Command, Option } from "commander";
import { argumentsOf, isHidden, ownOptions, textAfter } from "../src/cli/help/text.ts";
import { globalOptions } from "../src/cli/options.ts";
import { shownValue } from "../src/commands/config.ts";
import { aboutSettings, settingNames, settings } from "../src/config/settings.ts";

/** An option that so many commands have is described once. */
const shared = 4;

/** The command reference as markdown, from the same declarations as the help pages. */
export function referenceText(program: Command): string {
  const commands = program.commands.filter((each) => !isHidden(each));
  const contents = commands.map((each) => `- [${each.name()}](#${each.name()}): ${each.description()}`);
  const many = sharedOptions(program);
  return [
    "# Command reference",
    "",
    "Generated from the command tree by `npm run generate`; `deckhand help <command>` shows the same.",
    "",
    ...contents,
    "",
    `${optionsText()}\n`,
    `${settingsText()}\n`,
    "## Options that several commands share",
    "",
    ...optionTable(many),
    ...commands.flatMap((each) => section(each, [], new Set(many.map(described)))),
    "",
  ].join("\n");
}

const described = ({ flags, description }: Option) => `${flags} ${description}`;

/** The options that many commands describe in the same words. */
function sharedOptions(program: Command): Option[] {
  const all = program.commands
    .flatMap((each) => [each, ...each.commands])
    .flatMap((each) => [...ownOptions(each)]);
  const sames = (option: Option) => all.filter((each) => described(each) === described(option));
  return all.filter((option) => sames(option).length >= shared && sames(option)[0] === option);
}

function section(command: Command, above: readonly string[], many: ReadonlySet<string>): string[] {
  const path = [...above, command.name()];
  const verbs = command.commands.filter((each) => !isHidden(each) && each.name() !== "help");
  // A hidden verb has no name of its own: the noun alone means it, as in `deckhand serve`.
  const itself = verbs.length === 0 ? command : command.commands.find(isHidden);
  const about = (itself ?? command).description();
  return [
    "",
    `${"#".repeat(path.length + 1)} ${path.join(" ")}`,
    "",
    about,
    ...(itself === undefined ? [] : usage(itself, path, many)),
    ...verbs.flatMap((each) => section(each, path, many)),
  ];
}

function usage(command: Command, path: readonly string[], many: ReadonlySet<string>): string[] {
  const [own, others] = [false, true].map((isShared) =>
    ownOptions(command).filter((each) => many.has(described(each)) === isShared),
  );
  const words = ["deckhand", ...path, "[options]", ...argumentsOf(command)];
  const names = others?.map(({ long, short }) => `\`${long ?? short}\``) ?? [];
  return [
    "",
    "```",
    words.join(" "),
    "```",
    ...(own?.length ? ["", ...optionTable(own)] : []),
    ...(names.length === 0 ? [] : ["", `${own?.length ? "Also" : "Options"}: ${names.join(", ")}`]),
    ...examples(command),
  ];
}

function optionTable(options: readonly Option[]): string[] {
  const rows = options.map((option) => {
    const values =
      option.argChoices === undefined ? "" : `: ${option.argChoices.map((each) => `\`${each}\``).join(" ")}`;
    return `| \`${option.flags.replaceAll("|", "\\|")}\` | ${option.description.replaceAll("|", "\\|")}${values} |`;
  });
  return ["| option | meaning |", "|---|---|", ...rows];
}

/** The examples of the help page. */
function examples(command: Command): string[] {
  const [, text] = `\n${textAfter(command)}`.split("\nExamples:\n");
  const lines = (text?.split("\n\n")[0] ?? "").split("\n").map((line) => line.replace(/^ {2}/, ""));
  return text === undefined ? [] : ["", "```sh", ...lines.filter((line) => line !== ""), "```"];
}

function settingsText(): string {
  const rows = settingNames.map((name) => {
    const { mustBe, default: unset } = settings[name];
    const about = aboutSettings[name];
    const value = shownValue(name, unset);
    return `| \`${name}\` | ${about} It is ${mustBe}${value === undefined ? "" : `; ${value} if not set`}. |`;
  });
  const global = settingNames.filter((name) => settings[name].stored === "global");
  return [
    "## Settings",
    "",
    `\`deckhand config set <setting> <value>\` keeps one: ${global.join(", ")} for all profiles, the others for the profile in use, or for that of --profile. \`deckhand config list\` shows what each is now, and where that comes from.`,
    "",
    "| setting | meaning |",
    "|---|---|",
    ...rows,
  ].join("\n");
}

function optionsText(): string {
  const rows = globalOptions.map(
    ({ flags, description, argChoices }) =>
      `| \`${flags}\` | ${description}${argChoices === undefined ? "" : `: ${argChoices.map((each) => `\`${each}\``).join(" ")}`} |`,
  );
  return [
    "## Options of every command",
    "",
    "Most have a variable and a setting as well: `deckhand help environment`, `deckhand help settings`.",
    "",
    "| option | meaning |",
    "|---|---|",
    ...rows,
  ].join("\n");
}
