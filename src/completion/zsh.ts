import type { CommandModel, Completes, OptionModel } from "./model.ts";

/** The completion function for zsh, to be found as `_deckhand` on the fpath. */
export function zshScript(commands: readonly CommandModel[]): string {
  const [program, ...rest] = commands;
  const nouns = rest.filter(({ path }) => path.length === 1);
  return `#compdef deckhand
# Generated from the command tree: do not edit.

_deckhand_names() {
  local -a names
  local line
  for line in "\${(@f)$(_call_program names deckhand __complete $1 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    names+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -t $1 \${1%s} names
}

_deckhand() {
  local curcontext=$curcontext state line noun verb
  local -a words_only
  # The words that name the command, whatever options stand between.
  words_only=(\${\${words[2,CURRENT-1]}:#-*})
  noun=\${words_only[1]-} verb=\${words_only[2]-}
  case "$noun $verb" in
${nouns.flatMap((noun) => [...verbsOf(rest, noun), noun].map((each) => branch(each))).join("\n")}
    *)
      _arguments -s -S \\
${optionLines(program?.options ?? [])}
        '1: :->noun' && return
      local -a nouns
      nouns=(${(program?.verbs ?? []).map(({ name, about }) => quote(`${name}:${colons(about)}`)).join(" ")})
      _describe -t commands command nouns ;;
  esac
}

# Found on fpath it completes; sourced it says for what it does.
if [[ $funcstack[1] == _deckhand ]]; then
  _deckhand "$@"
elif (( $+functions[compdef] )); then
  compdef _deckhand deckhand
fi
`;
}

const verbsOf = (commands: readonly CommandModel[], noun: CommandModel) =>
  commands.filter(({ path }) => path.length === 2 && path[0] === noun.path[0]);

/** What is completed behind one command. Its own words are taken off, so that what follows counts from one. */
function branch(command: CommandModel): string {
  const pattern = command.path.length === 2 ? `"${command.path.join(" ")}"` : `"${command.path[0]} "*`;
  const words = command.path.length;
  const verbs =
    command.verbs.length === 0
      ? ""
      : `
      if ((CURRENT == ${words + 2})) && [[ $words[CURRENT] != -* ]]; then
        local -a verbs
        verbs=(${command.verbs.map(({ name, about }) => quote(`${name}:${colons(about)}`)).join(" ")})
        _describe -t commands verb verbs
      fi`;
  const positionals = command.positionals.map((each, index) => {
    const at = each.repeats ? "*" : `${index + 1}`;
    return `        ${quote(`${at}:${colons(each.placeholder)}:${action(each)}`)}`;
  });
  return `    ${pattern})${verbs}
      shift ${words} words; ((CURRENT -= ${words}))
      _arguments -s -S \\
${[optionLines(command.options).replace(/ \\$/, ""), ...positionals].join(" \\\n")} ;;`;
}

function optionLines(options: readonly OptionModel[]): string {
  return options
    .map((option) => {
      const about = `[${colons(option.about).replaceAll("[", "\\[").replaceAll("]", "\\]")}]`;
      const value =
        option.value === undefined ? "" : `:${colons(option.placeholder)}:${action(option.value)}`;
      const [first = "", second] = option.names;
      if (option.repeatable)
        return option.names.map((name) => `        ${quote(`*${name}${about}${value}`)}`).join(" \\\n");
      if (second === undefined) return `        ${quote(`${first}${about}${value}`)}`;
      return `        '(${first} ${second})'{${first},${second}}${quote(`${about}${value}`)}`;
    })
    .map((line) => `${line} \\`)
    .join("\n");
}

function action(completes: Completes): string {
  switch (completes.kind) {
    case "words":
      return `(${completes.words.join(" ")})`;
    case "names":
      return `{_deckhand_names ${completes.of}}`;
    case "files":
      return "_files";
    case "text":
      return " ";
  }
}

const colons = (text: string) => text.replaceAll(":", "\\:");
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
