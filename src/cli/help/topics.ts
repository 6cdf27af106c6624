import { shownValue } from "../../commands/config/values.ts";
import { settingNames, settings } from "../../config/settings.ts";
import { exitCodes } from "../../errors.ts";
import { documentation } from "../../version.ts";
import { globalOptions } from "../options.ts";
import { wrapped } from "./text.ts";

/** What `deckhand help <topic>` tells, besides the commands, in lines of so many columns. */
export const helpTopics: Readonly<Record<string, { readonly about: string; text(width: number): string }>> = {
  "exit-codes": { about: "What each exit code means", text: exitCodesText },
  environment: { about: "The variables that are read", text: environmentText },
  output: { about: "Formats, and what is printed where", text: outputText },
  profiles: { about: "Accounts: local, hosted, in CI", text: profilesText },
  settings: { about: "What `config set` keeps", text: settingsText },
  cards: { about: "What a card's content can hold", text: cardsText },
  options: { about: "The options of every command", text: optionsText },
};

/** What each exit code means. */
export const exitMeanings: readonly (readonly [code: number, about: string])[] = [
  [0, "done"],
  [1, "a fault in deckhand itself; doctor: a check failed"],
  [2, "usage: an unknown command or option, a bad value, an ambiguous name"],
  [3, "not configured, or the service refused the key (401, 403)"],
  [4, "not found (404)"],
  [5, "the service refused the data (422 and other 4xx), or an edit conflict"],
  [6, "still rate-limited (429) after all retries"],
  [7, "the service failed (5xx) after all retries"],
  [8, "no answer: connection, TLS, timeout, or an answer that could not be understood"],
  [9, "some of several items failed"],
  [130, "interrupted (Ctrl-C)"],
  [143, "terminated"],
];

function exitCodesText(width: number): string {
  const codes = (code: number) =>
    Object.entries(exitCodes)
      .filter(([, exit]) => exit === code)
      .map(([name]) => name);
  const rows = exitMeanings.map(([code, about]) => {
    const names = codes(code);
    return [
      String(code),
      names.length === 0 ? about : `${about}; "code" in JSON errors: ${names.join(", ")}`,
    ] as const;
  });
  return page(
    "Exit codes",
    table(rows, width),
    paragraph("Where all of several items failed for one reason, the exit code is that reason's.", width),
    paragraph(
      "With --output json or ndjson an error is one JSON object on one line of stderr. A command with several items prints such a line for each that failed, with its id, and a last one with the code partial.",
      width,
    ),
  );
}

/** The environment variables that are read, each with what it means. */
export function variables(): readonly (readonly [name: string, about: string])[] {
  const rows: (readonly [string, string])[] = settingNames.flatMap((name) => {
    const { env, option, about } = settings[name];
    return env === undefined
      ? []
      : [[env, `${about}${option === undefined ? "" : ` (${option.flag})`}`] as const];
  });
  rows.push(
    [
      "DECKHAND_API_KEY",
      "The API key. There is no option for it: other users of the machine can see command lines.",
    ],
    [
      "DECKHAND_DATABASE_URL",
      "URL of the PostgreSQL database of serve, which may have a password (--database, --database-file).",
    ],
    ["AWS_ACCESS_KEY_ID", "The id of the key to the bucket of serve --blobs."],
    ["AWS_SECRET_ACCESS_KEY", "The key to the bucket."],
    ["AWS_SESSION_TOKEN", "The token of a key that expires."],
    ["AWS_REGION", "The region of the bucket (us-east-1), as is AWS_DEFAULT_REGION."],
    ["AWS_ENDPOINT_URL_S3", "The address of a store other than Amazon's, as is AWS_ENDPOINT_URL."],
    ["DECKHAND_HOME", "One folder for config, data, state and cache together."],
    ["DECKHAND_DEBUG", "1 adds stack traces to errors."],
    ["NO_COLOR, FORCE_COLOR", "No colour, or colour everywhere (--no-color)."],
    ["HTTPS_PROXY, NO_PROXY", "The proxy on the way to the service, and the hosts without it."],
    ["FORCE_HYPERLINK", "1 or 0: whether links are clickable."],
    ["DECKHAND_PAGER, PAGER", "The program that shows long tables; empty or cat for none (less -FRX)."],
    ["VISUAL, EDITOR", "The editor of cards edit and cards create."],
    ["INK_SCREEN_READER", "true: reviews as plain prompts."],
    [
      "CI",
      "Where it is set and no account is configured, commands refuse instead of using the local service.",
    ],
  );
  return rows;
}

function environmentText(width: number): string {
  return page(
    "Environment variables",
    table(variables(), width),
    paragraph(
      "An option wins over its variable, the variable over the profile, the profile over the default.",
      width,
    ),
    paragraph('"deckhand config list" shows each setting and where it came from.', width),
  );
}

function outputText(width: number): string {
  return page(
    "Output",
    paragraph(
      "Data goes to standard output and nothing else does; everything else goes to standard error.",
      width,
    ),
    table(
      [
        ["on a terminal", "lists are tables, cut to its width; changes are reported in a sentence"],
        [
          "in a pipe, file",
          "lists are tsv without a header, whole; single documents are JSON; changes print one id a line",
        ],
      ],
      width,
    ),
    "--output chooses the format:",
    table(
      [
        ["table", "aligned columns for people"],
        ["json", "one array for a list, one object for one document"],
        ["ndjson", "one document a line, printed as it arrives"],
        ["yaml", "the same documents as json, as YAML"],
        ["csv", "RFC 4180, with a header"],
        ["tsv", "no header; tabs, newlines and backslashes in values as \\t, \\n and \\\\"],
        ["id", "one id a line"],
      ],
      width,
    ),
    paragraph("--columns a,b,c chooses fields and their order, also nested ones: reviews.0.due.", width),
    paragraph(
      "--jq '<filter>' filters the JSON result; a result that is a string is printed as it is.",
      width,
    ),
    paragraph(
      "Names are the API's own (deck-id, new?), instants ISO 8601 in UTC: the same whichever codec carried them. A closed pipe (| head) ends a list quietly; a command that changes things makes all its changes.",
      width,
    ),
  );
}

function profilesText(width: number): string {
  return page(
    "Profiles",
    paragraph("A profile is a base URL, a codec and a key.", width),
    table(
      [
        ["local", "the local service in the same process; always there, needs no key"],
        [
          "deckhand auth login --profile <name>",
          "asks for base URL and key, checks both, saves them, makes it the default",
        ],
        [
          "deckhand auth use <name>",
          "chooses the default; --profile or DECKHAND_PROFILE choose for one command",
        ],
        [
          "deckhand auth status",
          "shows the account in use, where each part came from, and whether it answers",
        ],
      ],
      width,
    ),
    paragraph(
      "DECKHAND_BASE_URL and DECKHAND_API_KEY together need no profile. A saved key is sent only to the origin that it was saved for, and over plain http only to this machine unless the profile says allow-insecure. Where CI is set and nothing is configured, commands refuse (exit 3).",
      width,
    ),
  );
}

function settingsText(width: number): string {
  const rows = settingNames.map((name) => {
    const { about, mustBe, default: unset } = settings[name];
    const value = shownValue(name, unset);
    return [name, `${about} It is ${mustBe}${value === undefined ? "" : `; ${value} if not set`}.`] as const;
  });
  const global = settingNames.filter((name) => settings[name].stored === "global");
  return page(
    "Settings",
    paragraph(
      `"deckhand config set <setting> <value>" keeps one: ${global.join(", ")} for all profiles, the others for the profile in use, or for that of --profile.`,
      width,
    ),
    table(rows, width),
    paragraph('"deckhand config list" shows what each is now, and where that comes from.', width),
  );
}

function cardsText(width: number): string {
  return page(
    "The content of a card",
    paragraph("A card is markdown. A line of exactly three dashes ends a side:", width),
    "  Capital of Norway?\n  ---\n  Oslo",
    table(
      [
        ["{{Oslo}}", "hidden until you answer; {{1::a}} and {{2::b}} are asked one after the other"],
        ["#tag, #a/b", "a tag of the card; \\#tag, and #tag in `code`, are text"],
        ["==text==", "highlighted"],
        ["Vec\\<T>", "Vec<T>; without the backslash, <T> is an HTML tag"],
        ["{漢字}(かんじ)", "a reading"],
        ["$x^2$, $$...$$", "a formula"],
        ["![](@media/map.png)", "a picture: a file of the card (deckhand attach add)"],
        ["[[card-id]]", "a reference; ![[card-id]] shows that card inside this one"],
        ["<< Field >>", "in a template: the value of a field"],
      ],
      width,
    ),
    paragraph(
      "A card is asked from its first side to its last; with --review-reverse (of add, cards create and cards update, or of its deck) in both directions.",
      width,
    ),
    paragraph(
      "YAML front matter between two lines of --- at the top of a new card sets deck, tags, template, fields, archived and review-reverse.",
      width,
    ),
    `${paragraph("docs/cards.md describes all of it:", width)}\n  ${documentation.replace(/#.*/, "")}/blob/main/docs/cards.md`,
  );
}

function optionsText(width: number): string {
  return page(
    "Options of every command",
    table(
      globalOptions.map(({ flags, about, values }) => [
        flags,
        `${about}${values === undefined ? "" : ` (${values.join(", ")})`}`,
      ]),
      width,
    ),
    paragraph(
      'Most have a variable and a setting as well: "deckhand help environment", "deckhand help settings".',
      width,
    ),
  );
}

/** A title, and what stands below it, with empty lines between. */
const page = (title: string, ...parts: readonly string[]) => `${[title, ...parts].join("\n\n")}\n`;

/** Names with what they mean beside them; below them where they are long, or the terminal is narrow. */
function table(rows: readonly (readonly [string, string])[], width: number): string {
  const widest = Math.max(...rows.map(([name]) => columnsOf(name)));
  const column = Math.min(widest, 22, Math.floor(width / 3));
  const indent = " ".repeat(column + 4);
  return rows
    .flatMap(([name, about]) => {
      const [first = "", ...rest] = wrapped(about, width - indent.length)
        .split("\n")
        .map((line) => indent + line);
      return columnsOf(name) > column
        ? [`  ${name}`, first, ...rest]
        : [`  ${name}${" ".repeat(column - columnsOf(name))}  ${first.slice(indent.length)}`, ...rest];
    })
    .join("\n");
}

/** Kanji and kana are two columns wide. */
const columnsOf = (text: string) => text.length + (text.match(/[\u3040-\u9fff]/g)?.length ?? 0);

const paragraph = wrapped;
