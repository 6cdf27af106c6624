import type { CommandModel, Completes } from "./model.ts";

/** The completion script for bash: static words cost no process, names one of the light entry point. */
export function bashScript(commands: readonly CommandModel[]): string {
  return `# bash completion for deckhand                              -*- shell-script -*-
# Generated from the command tree: do not edit.

# Takes the line up to the cursor apart as the shell will: the words without their quotes, the one at the cursor, the
# quote that is open there, and what readline leaves of it as it is, since it replaces no more than what stands behind
# the last of COMP_WORDBREAKS.
_deckhand_split() {
  local line=\${COMP_LINE:0:COMP_POINT} char index inside=
  words=() cur= quote= head= redirect=
  for ((index = 0; index < \${#line}; index++)); do
    char=\${line:index:1}
    case $quote$char in
      \\'\\' | \\"\\") quote= head=$cur ;;
      \\'?) cur+=$char ;;
      \\"\\\\)
        case \${line:index + 1:1} in [\\"\\\\\\$\\\`] | "") ;; *) cur+=$char ;; esac
        ((index += 1)); cur+=\${line:index:1} ;;
      \\"?) cur+=$char ;;
      \\\\) ((index += 1)); cur+=\${line:index:1} inside=1 ;;
      \\' | \\") quote=$char head=$cur inside=1 ;;
      [\\<\\>])
        [[ $cur == *[!0-9]* ]] && words+=("$cur")
        cur= head= inside= redirect=1 ;;
      [[:space:]])
        if [[ -n $inside ]]; then
          if [[ -n $redirect ]]; then redirect=; else words+=("$cur"); fi
          cur= head= inside=
        fi ;;
      *)
        cur+=$char inside=1
        [[ $COMP_WORDBREAKS == *"$char"* ]] && head=$cur ;;
    esac
  done
}

# Offers words that go on where the cursor is, quoted as what stands there already.
_deckhand_words() {
  local word char
  for word; do
    word=$prefix$word
    [[ $word == "$cur"* ]] || continue
    word=\${word#"$head"}
    if [[ $quote == \\' ]]; then
      word=\${word//\\'/\\'\\\\\\'\\'}
    elif [[ -n $quote ]]; then
      for char in \\\\ \\" \\$ \\\`; do word=\${word//"$char"/\\\\"$char"}; done
      word=\${word//!/\\"\\\\!\\"}
    elif [[ $word == *[!A-Za-z0-9_./+-]* ]]; then
      for char in \\\\ " " ! \\" \\# \\$ \\& \\' \\( \\) \\* \\; \\< \\> \\? \\[ \\] ^ \\\` { \\| } ~ ,; do
        word=\${word//"$char"/\\\\"$char"}
      done
      for char in : = @; do
        [[ $COMP_WORDBREAKS == *"$char"* ]] && word=\${word//"$char"/\\\\"$char"}
      done
    fi
    # Readline takes a quote at the end for one that closes.
    [[ -n $quote && $word == *"$quote" ]] && word+=$quote
    COMPREPLY+=("$word")
  done
}

_deckhand_names() {
  local name
  while IFS=$'\\t' read -r name _; do _deckhand_words "$name"; done < <(
    deckhand __complete "$1" \${profile:+"$profile"} 2>/dev/null
  )
}

# Readline knows best how to complete them.
_deckhand_files() {
  compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$cur"))
}

# Whether the value of this option of this command is a word of its own.
_deckhand_takes() {
  case $1 in
${valuePatterns(commands)}) return 0 ;;
  esac
  return 1
}

_deckhand() {
  local IFS=$' \\t\\n' words cur quote head redirect prefix= noun= verb= profile= count=0 index word option= before=
  local ended=
  COMPREPLY=()
  _deckhand_split
  if [[ -n $redirect ]]; then _deckhand_files; return; fi
  for ((index = 1; index < \${#words[@]}; index++)); do
    word=\${words[index]}
    if [[ -n $option ]]; then
      [[ $option == --profile ]] && profile=$word
      option=
    elif [[ -z $ended && $word == -?* ]]; then
      [[ $word == --profile=* ]] && profile=\${word#--profile=}
      if [[ $word == -- ]]; then ended=1; elif _deckhand_takes "$noun $verb $word"; then option=$word; fi
    elif [[ -z $noun ]]; then
      case $word in
${nounAliases(commands)}
        *) noun=$word ;;
      esac
    elif [[ -z $verb ]] && ((count == 0)); then
      case "$noun $word" in
${verbAliases(commands)}
        ${verbPatterns(commands)}) verb=$word ;;
        *) count=1 ;;
      esac
    else
      ((count += 1))
      before=$word
    fi
  done
  # The value may stand in the word of its option, too: --deck=x, -dx.
  if [[ -z $option && -z $ended ]]; then
    case $cur in
      --*=*) option=\${cur%%=*} prefix=\${cur%%=*}= ;;
      -[!-]?*) option=\${cur:0:2} prefix=\${cur:0:2} ;;
    esac
  fi
  if [[ -n $option ]]; then
    case "$noun $verb $option" in
${valueCases(commands)}
    esac
    prefix=
  fi
  if [[ -z $ended && $cur == -* ]]; then
    case "$noun $verb" in
${commands.map((command) => `      ${caseOf(command)}) _deckhand_words ${optionWords(command)} ;;`).join("\n")}
    esac
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
      return `_deckhand_words ${completes.words.join(" ")}`;
    case "names":
      return `_deckhand_names ${completes.of}`;
    case "files":
      return "_deckhand_files";
    case "after": {
      const cases = Object.entries(completes.values).map(([word, value]) => `${word}) ${action(value)} ;;`);
      return `case $before in ${cases.join(" ")} esac`;
    }
    case "text":
      return ":";
  }
}

const verbPatterns = (commands: readonly CommandModel[]) =>
  commands
    .filter(({ path }) => path.length === 2)
    .map(({ path }) => `"${path.join(" ")}"`)
    .join(" | ");

const nounAliases = (commands: readonly CommandModel[]) =>
  commands
    .filter(({ path, aliases }) => path.length === 1 && aliases.length > 0)
    .map(({ path, aliases }) => `        ${aliases.join(" | ")}) noun=${path[0]} ;;`)
    .join("\n");

const verbAliases = (commands: readonly CommandModel[]) =>
  commands
    .filter(({ path, aliases }) => path.length === 2 && aliases.length > 0)
    .map(({ path: [noun, verb], aliases }) => {
      const patterns = aliases.map((alias) => `"${noun} ${alias}"`);
      return `        ${patterns.join(" | ")}) verb=${verb} ;;`;
    })
    .join("\n");

/** Behind which options a value stands: those words are no verbs. */
function valuePatterns(commands: readonly CommandModel[]): string {
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
  return `    ${patterns.join(" | ")}`;
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
  if (verbs.length > 0)
    steps.push(`((count == 0)) && _deckhand_words ${verbs.map(({ name }) => name).join(" ")}`);
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
