import type { CommandModel, Completes, OptionModel } from "./model.ts";

/** The completions for fish. */
export function fishScript(commands: readonly CommandModel[]): string {
  const [program, ...rest] = commands;
  const globals = new Set(program?.options.flatMap(({ names }) => names));
  const lines = [
    ...(program?.verbs ?? []).map(
      ({ name, about }) => `complete -c deckhand -n '__deckhand_at' -a ${name} -d ${quote(about)}`,
    ),
    ...(program?.options ?? []).map((option) =>
      optionLine(option, option.names.includes("--version") ? "__deckhand_at" : undefined),
    ),
    ...rest.flatMap((command) => commandLines(command, globals)),
  ];
  return `# fish completion for deckhand
# Generated from the command tree: do not edit.

# The words of the command line that are no options and no values of options, commands by their first names.
function __deckhand_words
    set -l skip 0
    set -l words
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if string match -qr -- '^-' $word
            contains -- $word ${valueNames(commands).join(" ")}; and set skip 1
        else
            set -a words $word
        end
    end
    switch "$words[1]"
${nounAliases(rest)}
    end
    switch "$words[1] $words[2]"
${verbAliases(rest)}
    end
    test (count $words) -gt 0; and printf '%s\\n' $words
end

# Whether the command line names exactly this command so far.
function __deckhand_at
    set -l words (__deckhand_words)
    test "$words" = "$argv"
end

# Whether the command line begins with this command.
function __deckhand_in
    set -l words (__deckhand_words)
    test "$words[1..$(count $argv)]" = "$argv"
end

# Whether it begins with this noun and no verb of its own.
function __deckhand_noun
    set -l words (__deckhand_words)
    test "$words[1]" = $argv[1]; and not contains -- "$words[2]" $argv[2..-1]
end

function __deckhand_names
    set -l words (commandline -opc)
    # Whose names are to be completed.
    set -l profile (string match -rg -- '^--profile=(.+)' $words)
    set -l at (contains -i -- --profile $words); and set profile $words[(math $at + 1)]
    deckhand __complete $argv[1] $profile[1] 2>/dev/null
end

complete -c deckhand -f
${lines.join("\n")}
`;
}

const nounAliases = (commands: readonly CommandModel[]) =>
  commands
    .filter(({ path, aliases }) => path.length === 1 && aliases.length > 0)
    .map(({ path, aliases }) => `        case ${aliases.join(" ")}\n            set words[1] ${path[0]}`)
    .join("\n");

const verbAliases = (commands: readonly CommandModel[]) =>
  commands
    .filter(({ path, aliases }) => path.length === 2 && aliases.length > 0)
    .map(({ path: [noun, verb], aliases }) => {
      const typed = aliases.map((alias) => `'${noun} ${alias}'`);
      return `        case ${typed.join(" ")}\n            set words[2] ${verb}`;
    })
    .join("\n");

const valueNames = (commands: readonly CommandModel[]) => [
  ...new Set(
    commands.flatMap(({ options }) => options.filter(({ value }) => value).flatMap(({ names }) => names)),
  ),
];

function commandLines(command: CommandModel, globals: ReadonlySet<string>): string[] {
  const [noun = "", verb] = command.path;
  const path = command.path.join(" ");
  const verbs = command.verbs.map(({ name }) => name);
  const inside =
    verb === undefined && verbs.length > 0
      ? `__deckhand_noun ${noun} ${verbs.join(" ")}`
      : `__deckhand_in ${path}`;
  return [
    ...command.verbs.map(
      ({ name, about }) => `complete -c deckhand -n '__deckhand_at ${path}' -a ${name} -d ${quote(about)}`,
    ),
    ...command.options
      .filter(({ names }) => !names.some((name) => globals.has(name)))
      .map((option) => optionLine(option, inside)),
    ...command.positionals.flatMap((each, index) => {
      if (each.kind === "text") return [];
      const at = command.path.length + index;
      const here = `${inside}; and test (__deckhand_words | count) ${each.repeats ? "-ge" : "-eq"} ${at}`;
      if (each.kind !== "after") return `complete -c deckhand -n '${here}' ${action(each)}`;
      return Object.entries(each.values).map(
        ([word, value]) =>
          `complete -c deckhand -n '${here}; and test (__deckhand_words)[${at}] = ${word}' ${action(value)}`,
      );
    }),
  ];
}

function optionLine(option: OptionModel, condition: string | undefined): string {
  const names = option.names.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const value =
    option.value === undefined
      ? ""
      : ` ${option.value.kind === "files" ? "-r -F" : `-x ${action(option.value)}`.trim()}`;
  const when = condition === undefined ? "" : ` -n '${condition}'`;
  return `complete -c deckhand${when} ${names.join(" ")}${value} -d ${quote(option.about)}`;
}

function action(completes: Completes): string {
  switch (completes.kind) {
    case "words":
      return `-a ${quote(completes.words.join(" "))}`;
    case "names":
      return `-a '(__deckhand_names ${completes.of})'`;
    case "files":
      return "-F";
    case "after":
    case "text":
      return "";
  }
}

const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
