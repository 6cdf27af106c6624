import { settingNames, settings } from "../config/index.ts";
import { exitCodes } from "../errors.ts";

/** What `deckhand help <topic>` tells, besides the commands. */
export const helpTopics: Readonly<Record<string, { readonly about: string; text(): string }>> = {
  "exit-codes": { about: "What each exit code means", text: exitCodesText },
  environment: { about: "The variables that are read", text: environmentText },
  output: { about: "Formats, and what is printed where", text: outputText },
  profiles: { about: "Accounts: local, hosted, in CI", text: profilesText },
};

const meanings: readonly (readonly [code: number, about: string])[] = [
  [0, "done"],
  [1, "a fault in deckhand itself"],
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

function exitCodesText(): string {
  const codes = (code: number) =>
    Object.entries(exitCodes)
      .filter(([, exit]) => exit === code)
      .map(([name]) => name);
  const rows = meanings.map(([code, about]) => {
    const names = codes(code);
    return [
      String(code),
      names.length === 0 ? about : `${about}; "code" in JSON errors: ${names.join(", ")}`,
    ] as const;
  });
  return `Exit codes\n\n${table(rows)}\n\nWhere all of several items failed for one reason, the exit code is that reason's.\nWith --output json or ndjson an error is one JSON object on one line of stderr.\n`;
}

function environmentText(): string {
  const rows: (readonly [string, string])[] = settingNames.flatMap((name) => {
    const { env, option, about } = settings[name];
    return env === undefined
      ? []
      : [[env, `${about}${option === undefined ? "" : ` (${option.flag})`}`] as const];
  });
  rows.push(
    ["DECKHAND_API_KEY", "The API key; there is no option for it, since command lines are seen by others."],
    ["DECKHAND_HOME", "One folder for config, data, state and cache together."],
    ["DECKHAND_DEBUG", "1 adds stack traces to errors."],
    ["NO_COLOR, FORCE_COLOR", "No colour, or colour everywhere (--no-color)."],
    ["HTTPS_PROXY, NO_PROXY", "The proxy on the way to the service, and the hosts without it."],
    ["FORCE_HYPERLINK", "1 or 0: whether links are clickable."],
    ["VISUAL, EDITOR", "The editor of cards edit and cards create."],
    ["INK_SCREEN_READER", "true: reviews as plain prompts."],
    [
      "CI",
      "Where it is set and no account is configured, commands refuse instead of using the local service.",
    ],
  );
  return `Environment variables\n\n${table(rows)}\n\nAn option wins over its variable, the variable over the profile, the profile over the default.\n"deckhand config list" shows each setting and where it came from.\n`;
}

function outputText(): string {
  return `Output

Data goes to standard output and nothing else does; everything else goes to standard error.

On a terminal    lists are tables, cut to its width; changes are told in a sentence
In a pipe, file  lists are tsv without a header, whole; single documents are JSON;
                 changes print one id a line

--output chooses the format:

${table([
  ["table", "aligned columns for people"],
  ["json", "one array for a list, one object for one document"],
  ["ndjson", "one document a line, printed as it arrives"],
  ["csv", "RFC 4180, with a header"],
  ["tsv", "no header; tabs, newlines and backslashes in values as \\t, \\n and \\\\"],
  ["id", "one id a line"],
])}

--columns a,b,c chooses fields and their order, also nested ones: reviews.0.due.
--jq '<filter>' filters the JSON result; a result that is a string is printed as it is.

Names are the API's own (deck-id, new?), instants ISO 8601 in UTC: the same whichever codec
carried them. A closed pipe (| head) ends a command quietly.
`;
}

function profilesText(): string {
  return `Profiles

A profile is a base URL, a codec and a key.

local            the local service in the same process; always there, needs no key
deckhand auth login --profile <name>
                 asks for base URL and key, checks both, saves them, makes it the default
deckhand auth use <name>
                 chooses the default; --profile or DECKHAND_PROFILE choose for one command
deckhand auth status
                 shows the account in use, where each part came from, and whether it answers

DECKHAND_BASE_URL and DECKHAND_API_KEY together need no profile. A saved key is sent only to
the origin that it was saved for, and over plain http only to this machine unless the profile
says allow-insecure. Where CI is set and nothing is configured, commands refuse (exit 3).
`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, about]) => wrapped(`  ${name.padEnd(width)}  `, about)).join("\n");
}

/** A row whose text goes on below itself; help pages are 90 columns wide at most. */
function wrapped(start: string, text: string): string {
  const lines: string[] = [start];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    const fits = line.length + word.length <= 90 || line.trim() === "";
    if (fits) lines[lines.length - 1] = `${line}${line.endsWith(" ") ? "" : " "}${word}`;
    else lines.push(" ".repeat(start.length) + word);
  }
  return lines.join("\n");
}
