import type { CommandModel, Completes, OptionModel } from "./model.ts";

/** The completion function for zsh, to be found as `_deckhand` on the fpath. */
export function zshScript(commands: readonly CommandModel[]): string {
  const [program, ...rest] = commands;
  const globals = (program?.options ?? []).filter(({ value }) => value).flatMap(({ names }) => names);
  return `#compdef deckhand
# Generated from the command tree: do not edit.

_deckhand_names() {
  local -a names
  local line name
  for line in "\${(@f)$(_call_program names deckhand __complete $1 \${(q)profile} 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    name=\${line%%$'\\t'*}
    names+=("\${\${name//\\\\/\\\\\\\\}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -t $1 \${1%s} names
}

_deckhand_verbs() {
  local -a verbs
  case $1 in
${commands
  .filter(({ verbs }) => verbs.length > 0)
  .map(verbsOf)
  .join("\n")}
  esac
  _describe -t commands command verbs
}

_deckhand() {
  local curcontext=$curcontext noun= verb= word skip=
  local -a profile line
  local -A opt_args
  integer at noun_at=0 verb_at=0
  # Whose names are to be completed.
  for (( at = 2; at < CURRENT; at++ )); do
    case $words[at] in
      --profile) profile=("\${(Q)words[at + 1]}") ;;
      --profile=*) profile=("\${(Q)words[at]#--profile=}") ;;
    esac
  done
  # The words that name the command, whatever options stand between.
  for (( at = 2; at < CURRENT; at++ )); do
    word=\${(Q)words[at]}
    if [[ -n $skip ]]; then
      skip=
    elif [[ $word == -- ]]; then
      break
    elif [[ $word == -?* ]]; then
      case $word in (${globals.join("|")}) skip=1 ;; esac
    elif (( ! noun_at )); then
      noun_at=at noun=$word
      case $noun in
${aliases(rest, 1)}
      esac
    else
      case "$noun $word" in
${aliases(rest, 2)}
        ${rest
          .filter(({ path }) => path.length === 2)
          .map(({ path }) => `"${path.join(" ")}"`)
          .join("|")}) verb_at=at verb=$word ;;
      esac
      break
    fi
  done
  # Without them, everything else counts from one.
  if (( verb_at )); then words[verb_at]=(); (( CURRENT -= 1 )); fi
  if (( noun_at )); then words[noun_at]=(); (( CURRENT -= 1 )); fi
  case "$noun $verb" in
${commands.map(branch).join("\n")}
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

function verbsOf({ path, verbs }: CommandModel): string {
  const words = verbs.map(({ name, about }) => quote(`${name}:${colons(about)}`)).join(" ");
  return `    "${path.join(" ")}") verbs=(${words}) ;;`;
}

/** Makes of the other names of nouns, or of verbs, those that the branches have. */
function aliases(commands: readonly CommandModel[], length: 1 | 2): string {
  return commands
    .filter((command) => command.path.length === length && command.aliases.length > 0)
    .map(({ path: [noun, verb], aliases }) =>
      verb === undefined
        ? `        ${aliases.join("|")}) noun=${noun} ;;`
        : `        ${aliases.map((alias) => `"${noun} ${alias}"`).join("|")}) verb_at=at verb=${verb} ;;`,
    )
    .join("\n");
}

/** What is completed behind one command. */
function branch({ path: [noun = "", verb = ""], options, positionals, verbs }: CommandModel): string {
  const path = verb === "" ? noun : `${noun} ${verb}`;
  const named = positionals.map((each, index) => {
    const at = each.repeats ? "*" : `${index + 1}`;
    return `${at}:${colons(each.placeholder)}:${action(each)}`;
  });
  // A noun that is a command by itself takes its first argument where others have a verb.
  if (verbs.length > 0) named[0] = `1:command:{_deckhand_verbs "${path}"${alsoNames(positionals[0])}}`;
  const specs = [...options.map(optionSpec), ...named.map(quote)];
  return `    "${noun} ${verb}")
      _arguments -s -S${specs.map((spec) => ` \\\n        ${spec}`).join("")} ;;`;
}

const alsoNames = (first: Completes | undefined) =>
  first?.kind === "names" ? `; _deckhand_names ${first.of}` : "";

function optionSpec({ names, about, value, placeholder, repeatable }: OptionModel): string {
  const text = `[${colons(about).replaceAll("[", "\\[").replaceAll("]", "\\]")}]${
    value === undefined ? "" : `:${colons(placeholder)}:${action(value)}`
  }`;
  // The value may be a word of its own, or stand in that of the option: --deck=x, -dx.
  const forms = names.map((name) => `${name}${value === undefined ? "" : name.startsWith("--") ? "=" : "+"}`);
  if (repeatable) return forms.map((form) => quote(`*${form}${text}`)).join(" ");
  return forms.length === 1
    ? quote(`${forms[0]}${text}`)
    : `'(${names.join(" ")})'{${forms.join(",")}}${quote(text)}`;
}

function action(completes: Completes): string {
  switch (completes.kind) {
    case "words":
      return `(${completes.words.join(" ")})`;
    case "names":
      return `{_deckhand_names ${completes.of}}`;
    case "files":
      return "_files";
    case "after": {
      const cases = Object.entries(completes.values).map(
        ([word, value]) =>
          `(${word}) ${value.kind === "words" ? `compadd ${value.words.join(" ")}` : inner(value)} ;;`,
      );
      return `{case $line[1] in ${cases.join(" ")} esac}`;
    }
    case "text":
      return " ";
  }
}

/** An action without its braces. */
const inner = (completes: Completes) => action(completes).replace(/^\{(.*)\}$/, "$1");

const colons = (text: string) => text.replaceAll(":", "\\:");
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
