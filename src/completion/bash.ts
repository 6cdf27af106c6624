import type { CommandModel, Completes } from "./model.ts";

/** The completion script for bash: static words cost no process, names one of the light entry point. */
export function bashScript(commands: readonly CommandModel[]): string {
  return `# bash completion for deckhand                              -*- shell-script -*-
# Generated from the command tree: do not edit.

_deckhand_names() {
  local name quote=
  case $cur in
    \\"*) quote=\\" cur=\${cur#\\"} ;;
    \\'*) quote=\\' cur=\${cur#\\'} ;;
    *) cur=\${cur//\\\\/} ;;
  esac
  while IFS=$'\\t' read -r name _; do
    [[ $name == "$cur"* ]] || continue
    if [[ -n $quote ]]; then COMPREPLY+=("$name"); else COMPREPLY+=("$(printf %q "$name")"); fi
  done < <(deckhand __complete "$1" 2>/dev/null)
}

_deckhand_words() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_deckhand_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$cur"))
}

_deckhand() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev= noun= verb= count=0 word index skip=
  COMPREPLY=()
  ((COMP_CWORD > 0)) && prev=\${COMP_WORDS[COMP_CWORD - 1]}
  # bash takes --option=value apart at the =.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]] && ((COMP_CWORD > 1)); then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ -n $skip ]]; then [[ $word == = ]] || skip=; continue; fi
    case $word in
      -*) case "$noun $verb $word" in
${valueOptionCases(commands)}
        esac ;;
      =) ;;
      *) if [[ -z $noun ]]; then noun=$word; else
          case "$noun $word" in
            ${commands
              .filter(({ path }) => path.length === 2)
              .map(({ path }) => `"${path.join(" ")}"`)
              .join(" | ")})
              if [[ -z $verb ]]; then verb=$word; else ((count += 1)); fi ;;
            *) ((count += 1)) ;;
          esac
        fi ;;
    esac
  done
  case "$noun $verb $prev" in
${valueCases(commands)}
  esac
  if [[ $cur == -* ]]; then
    case "$noun $verb" in
${commands.map((command) => `      ${caseOf(command)}) _deckhand_words "${optionWords(command)}" ;;`).join("\n")}
    esac
    [[ \${COMPREPLY[0]-} == *= ]] && compopt -o nospace
    return
  fi
  case "$noun $verb" in
${commands.map(positionalCase).join("\n")}
  esac
}

complete -F _deckhand deckhand
`;
}

/** The pattern of a command in `case "$noun $verb"`. */
const caseOf = ({ path }: CommandModel) => `"${path[0] ?? ""} ${path[1] ?? ""}"`;

const optionWords = (command: CommandModel) => command.options.flatMap(({ names }) => names).join(" ");

function action(completes: Completes): string {
  switch (completes.kind) {
    case "words":
      return `_deckhand_words "${completes.words.join(" ")}"`;
    case "names":
      return `_deckhand_names ${completes.of}`;
    case "files":
      return "_deckhand_files";
    case "text":
      return ":";
  }
}

/** Behind which options a value stands: those words are no verbs. */
function valueOptionCases(commands: readonly CommandModel[]): string {
  const [program, ...rest] = commands;
  const global = new Set(program?.options.filter(({ value }) => value).flatMap(({ names }) => names));
  const own = rest.flatMap((command) =>
    command.options
      .filter(({ value }) => value)
      .flatMap(({ names }) => names)
      .filter((name) => !global.has(name))
      .map((name) => `"${command.path[0]} ${command.path[1] ?? ""} ${name}"`),
  );
  const patterns = [...[...global].map((name) => `*" ${name}"`), ...own];
  return `          ${patterns.join(" | ")}) skip=1 ;;`;
}

function valueCases(commands: readonly CommandModel[]): string {
  const [program, ...rest] = commands;
  const globals = (program?.options ?? []).filter(({ value }) => value);
  const globalNames = new Set(globals.flatMap(({ names }) => names));
  const line = (patterns: readonly string[], value: Completes | undefined) =>
    `    ${patterns.join(" | ")}) ${action(value ?? { kind: "text" })}; return ;;`;
  const own = rest.flatMap((command) =>
    command.options
      .filter(({ value, names }) => value && !names.some((name) => globalNames.has(name)))
      .map(({ names, value }) =>
        line(
          names.map((name) => `"${command.path[0]} ${command.path[1] ?? ""} ${name}"`),
          value,
        ),
      ),
  );
  return [
    ...own,
    ...globals.map(({ names, value }) =>
      line(
        names.map((name) => `*" ${name}"`),
        value,
      ),
    ),
  ].join("\n");
}

function positionalCase(command: CommandModel): string {
  const { positionals, verbs } = command;
  const steps: string[] = [];
  if (verbs.length > 0) steps.push(`_deckhand_words "${verbs.map(({ name }) => name).join(" ")}"`);
  positionals.forEach((positional, index) => {
    if (positional.kind === "text") return;
    const when = positional.repeats
      ? index === 0
        ? ""
        : `((count >= ${index})) && `
      : `((count == ${index})) && `;
    steps.push(`${when}${action(positional)}`);
  });
  return `    ${caseOf(command)}) ${steps.join("; ") || ":"} ;;`;
}
