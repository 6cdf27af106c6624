# bash completion for deckhand                              -*- shell-script -*-
# Generated from the command tree: do not edit.

# Takes the line up to the cursor apart as the shell will: the words without their quotes, the one at the cursor, the
# quote that is open there, and what readline leaves of it as it is, since it replaces no more than what stands behind
# the last of COMP_WORDBREAKS.
_deckhand_split() {
  local line=${COMP_LINE:0:COMP_POINT} char index inside=
  words=() cur= quote= head= redirect=
  for ((index = 0; index < ${#line}; index++)); do
    char=${line:index:1}
    case $quote$char in
      \'\' | \"\") quote= head=$cur ;;
      \'?) cur+=$char ;;
      \"\\)
        case ${line:index + 1:1} in [\"\\\$\`] | "") ;; *) cur+=$char ;; esac
        ((index += 1)); cur+=${line:index:1} ;;
      \"?) cur+=$char ;;
      \\) ((index += 1)); cur+=${line:index:1} inside=1 ;;
      \' | \") quote=$char head=$cur inside=1 ;;
      [\<\>])
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
    word=${word#"$head"}
    if [[ $quote == \' ]]; then
      word=${word//\'/\'\\\'\'}
    elif [[ -n $quote ]]; then
      for char in \\ \" \$ \`; do word=${word//"$char"/\\"$char"}; done
      word=${word//!/\"\\!\"}
    elif [[ $word == *[!A-Za-z0-9_./+-]* ]]; then
      for char in \\ " " ! \" \# \$ \& \' \( \) \* \; \< \> \? \[ \] ^ \` { \| } ~ ,; do
        word=${word//"$char"/\\"$char"}
      done
      for char in : = @; do
        [[ $COMP_WORDBREAKS == *"$char"* ]] && word=${word//"$char"/\\"$char"}
      done
    fi
    # Readline takes a quote at the end for one that closes.
    [[ -n $quote && $word == *"$quote" ]] && word+=$quote
    COMPREPLY+=("$word")
  done
}

_deckhand_names() {
  local name
  while IFS=$'\t' read -r name _; do _deckhand_words "$name"; done < <(
    deckhand __complete "$1" ${profile:+"$profile"} 2>/dev/null
  )
}

# Readline knows best how to complete them.
_deckhand_files() {
  compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$cur"))
}

# Whether the value of this option of this command is a word of its own.
_deckhand_takes() {
  case $1 in
    *" --profile" | *" --base-url" | *" --codec" | *" --timeout" | *" --retries" | *" -o" | *" --output" | *" --columns" | *" --jq" | "cards list -d" | "cards list --deck" | "cards list --deck-id" | "cards list -l" | "cards list --limit" | "cards list --bookmark" | "cards search -l" | "cards search --limit" | "cards create -d" | "cards create --deck" | "cards create --deck-id" | "cards create --content" | "cards create --content-file" | "cards create --front" | "cards create --back" | "cards create --template" | "cards create --template-id" | "cards create --field" | "cards create --field-file" | "cards create --tag" | "cards create --pos" | "cards create --after" | "cards create --before" | "cards create --attach" | "cards create --from" | "cards create --journal" | "cards update -d" | "cards update --deck" | "cards update --deck-id" | "cards update --content" | "cards update --content-file" | "cards update --front" | "cards update --back" | "cards update --template" | "cards update --template-id" | "cards update --field" | "cards update --field-file" | "cards update --tag" | "cards update --pos" | "cards update --after" | "cards update --before" | "cards update --attach" | "cards update --from" | "cards update --journal" | "cards update --add-tag" | "cards update --remove-tag" | "cards update --trashed" | "cards move -d" | "cards move --deck" | "cards move --deck-id" | "decks list -l" | "decks list --limit" | "decks list --bookmark" | "decks create --parent" | "decks create --sort" | "decks create --sort-by" | "decks create --cards-view" | "decks create --trashed" | "decks create --from" | "decks create --journal" | "decks update --parent" | "decks update --sort" | "decks update --sort-by" | "decks update --cards-view" | "decks update --trashed" | "decks update --name" | "templates list -l" | "templates list --limit" | "templates list --bookmark" | "templates create --content" | "templates create --content-file" | "templates create --field" | "templates create --option" | "templates create --pos" | "templates create --text-alignment" | "templates create --from" | "templates create --journal" | "import  -d" | "import  --deck" | "import  --deck-id" | "import  --format" | "import  --journal" | "import  --front" | "import  --back" | "import  --tags" | "import  --deck-column" | "import  --template" | "import  --delimiter" | "import  --encoding" | "import  --separator" | "export  -d" | "export  --deck" | "export  --deck-id" | "export  --format" | "attach add --name" | "attach get --output-file" | "due  -d" | "due  --deck" | "due  --date" | "due list -d" | "due list --deck" | "due list --date" | "due review -d" | "due review --deck" | "due review --date" | "due review --limit" | "due review --new" | "due review --order" | "due log --since" | "due log -d" | "due log --deck" | "stats  --since" | "stats  --until" | "stats  --report" | "add  -d" | "add  --deck" | "add  --deck-id" | "add  --tag" | "review  -d" | "review  --deck" | "review  --date" | "review  --limit" | "review  --new" | "review  --order" | "api  --query" | "api  --field" | "api  --raw-field" | "api  --input" | "serve  --host" | "serve  --port" | "serve  --data" | "serve  --base-path" | "serve  --allow-host" | "serve  --burst" | "serve  --max-body" | "serve  --max-attachment" | "serve  --retention" | "serve key --data" | "serve account --time-zone" | "serve account --day-starts-at" | "serve account --data") return 0 ;;
  esac
  return 1
}

_deckhand() {
  local IFS=$' \t\n' words cur quote head redirect prefix= noun= verb= profile= count=0 index word option= before=
  local ended=
  COMPREPLY=()
  _deckhand_split
  if [[ -n $redirect ]]; then _deckhand_files; return; fi
  for ((index = 1; index < ${#words[@]}; index++)); do
    word=${words[index]}
    if [[ -n $option ]]; then
      [[ $option == --profile ]] && profile=$word
      option=
    elif [[ -z $ended && $word == -?* ]]; then
      [[ $word == --profile=* ]] && profile=${word#--profile=}
      if [[ $word == -- ]]; then ended=1; elif _deckhand_takes "$noun $verb $word"; then option=$word; fi
    elif [[ -z $noun ]]; then
      case $word in
        card) noun=cards ;;
        deck) noun=decks ;;
        template) noun=templates ;;
        *) noun=$word ;;
      esac
    elif [[ -z $verb ]] && ((count == 0)); then
      case "$noun $word" in
        "cards ls") verb=list ;;
        "cards rm") verb=delete ;;
        "decks ls") verb=list ;;
        "decks rm") verb=delete ;;
        "templates ls") verb=list ;;
        "attach rm") verb=remove ;;
        "due ls") verb=list ;;
        "auth ls") verb=list ;;
        "config ls") verb=list ;;
        "cards list" | "cards get" | "cards search" | "cards create" | "cards update" | "cards edit" | "cards move" | "cards archive" | "cards unarchive" | "cards trash" | "cards restore" | "cards delete" | "decks list" | "decks get" | "decks create" | "decks update" | "decks archive" | "decks unarchive" | "decks trash" | "decks restore" | "decks delete" | "templates list" | "templates get" | "templates create" | "attach add" | "attach get" | "attach remove" | "due list" | "due review" | "due log" | "due sync" | "auth login" | "auth logout" | "auth status" | "auth list" | "auth use" | "config list" | "config get" | "config set" | "config unset" | "config path" | "serve key" | "serve account" | "help cards" | "help decks" | "help templates" | "help attach" | "help due" | "help auth" | "help config" | "help serve") verb=$word ;;
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
      --*=*) option=${cur%%=*} prefix=${cur%%=*}= ;;
      -[!-]?*) option=${cur:0:2} prefix=${cur:0:2} ;;
    esac
  fi
  if [[ -n $option ]]; then
    case "$noun $verb $option" in
    "cards list -d" | "cards list --deck") _deckhand_names decks; return ;;
    "cards list --deck-id") :; return ;;
    "cards list -l" | "cards list --limit") :; return ;;
    "cards list --bookmark") :; return ;;
    "cards search -l" | "cards search --limit") :; return ;;
    "cards create -d" | "cards create --deck") _deckhand_names decks; return ;;
    "cards create --deck-id") :; return ;;
    "cards create --content") :; return ;;
    "cards create --content-file") _deckhand_files; return ;;
    "cards create --front") :; return ;;
    "cards create --back") :; return ;;
    "cards create --template") _deckhand_names templates; return ;;
    "cards create --template-id") :; return ;;
    "cards create --field") :; return ;;
    "cards create --field-file") :; return ;;
    "cards create --tag") :; return ;;
    "cards create --pos") :; return ;;
    "cards create --after") _deckhand_names cards; return ;;
    "cards create --before") _deckhand_names cards; return ;;
    "cards create --attach") _deckhand_files; return ;;
    "cards create --from") _deckhand_files; return ;;
    "cards create --journal") _deckhand_files; return ;;
    "cards update -d" | "cards update --deck") _deckhand_names decks; return ;;
    "cards update --deck-id") :; return ;;
    "cards update --content") :; return ;;
    "cards update --content-file") _deckhand_files; return ;;
    "cards update --front") :; return ;;
    "cards update --back") :; return ;;
    "cards update --template") _deckhand_names templates; return ;;
    "cards update --template-id") :; return ;;
    "cards update --field") :; return ;;
    "cards update --field-file") :; return ;;
    "cards update --tag") :; return ;;
    "cards update --pos") :; return ;;
    "cards update --after") _deckhand_names cards; return ;;
    "cards update --before") _deckhand_names cards; return ;;
    "cards update --attach") _deckhand_files; return ;;
    "cards update --from") _deckhand_files; return ;;
    "cards update --journal") _deckhand_files; return ;;
    "cards update --add-tag") :; return ;;
    "cards update --remove-tag") :; return ;;
    "cards update --trashed") :; return ;;
    "cards move -d" | "cards move --deck") _deckhand_names decks; return ;;
    "cards move --deck-id") :; return ;;
    "decks list -l" | "decks list --limit") :; return ;;
    "decks list --bookmark") :; return ;;
    "decks create --parent") _deckhand_names decks; return ;;
    "decks create --sort") :; return ;;
    "decks create --sort-by") _deckhand_words none lexigraphically lexicographically created-at updated-at retention-rate-asc interval-length; return ;;
    "decks create --cards-view") _deckhand_words list grid note column; return ;;
    "decks create --trashed") :; return ;;
    "decks create --from") _deckhand_files; return ;;
    "decks create --journal") _deckhand_files; return ;;
    "decks update --parent") _deckhand_names decks; return ;;
    "decks update --sort") :; return ;;
    "decks update --sort-by") _deckhand_words none lexigraphically lexicographically created-at updated-at retention-rate-asc interval-length; return ;;
    "decks update --cards-view") _deckhand_words list grid note column; return ;;
    "decks update --trashed") :; return ;;
    "decks update --name") :; return ;;
    "templates list -l" | "templates list --limit") :; return ;;
    "templates list --bookmark") :; return ;;
    "templates create --content") :; return ;;
    "templates create --content-file") _deckhand_files; return ;;
    "templates create --field") :; return ;;
    "templates create --option") :; return ;;
    "templates create --pos") :; return ;;
    "templates create --text-alignment") _deckhand_words left center right; return ;;
    "templates create --from") _deckhand_files; return ;;
    "templates create --journal") _deckhand_files; return ;;
    "import  -d" | "import  --deck") _deckhand_names decks; return ;;
    "import  --deck-id") :; return ;;
    "import  --format") _deckhand_words csv tsv markdown ndjson mochi apkg; return ;;
    "import  --journal") _deckhand_files; return ;;
    "import  --front") :; return ;;
    "import  --back") :; return ;;
    "import  --tags") :; return ;;
    "import  --deck-column") :; return ;;
    "import  --template") _deckhand_names templates; return ;;
    "import  --delimiter") :; return ;;
    "import  --encoding") :; return ;;
    "import  --separator") :; return ;;
    "export  -d" | "export  --deck") _deckhand_names decks; return ;;
    "export  --deck-id") :; return ;;
    "export  --format") _deckhand_words ndjson csv markdown mochi; return ;;
    "attach add --name") :; return ;;
    "attach get --output-file") _deckhand_files; return ;;
    "due  -d" | "due  --deck") _deckhand_names decks; return ;;
    "due  --date") :; return ;;
    "due list -d" | "due list --deck") _deckhand_names decks; return ;;
    "due list --date") :; return ;;
    "due review -d" | "due review --deck") _deckhand_names decks; return ;;
    "due review --date") :; return ;;
    "due review --limit") :; return ;;
    "due review --new") :; return ;;
    "due review --order") _deckhand_words due deck random; return ;;
    "due log --since") :; return ;;
    "due log -d" | "due log --deck") _deckhand_names decks; return ;;
    "stats  --since") :; return ;;
    "stats  --until") :; return ;;
    "stats  --report") _deckhand_files; return ;;
    "add  -d" | "add  --deck") _deckhand_names decks; return ;;
    "add  --deck-id") :; return ;;
    "add  --tag") :; return ;;
    "review  -d" | "review  --deck") _deckhand_names decks; return ;;
    "review  --date") :; return ;;
    "review  --limit") :; return ;;
    "review  --new") :; return ;;
    "review  --order") _deckhand_words due deck random; return ;;
    "api  --query") :; return ;;
    "api  --field") :; return ;;
    "api  --raw-field") :; return ;;
    "api  --input") _deckhand_files; return ;;
    "serve  --host") :; return ;;
    "serve  --port") :; return ;;
    "serve  --data") _deckhand_files; return ;;
    "serve  --base-path") :; return ;;
    "serve  --allow-host") :; return ;;
    "serve  --burst") :; return ;;
    "serve  --max-body") :; return ;;
    "serve  --max-attachment") :; return ;;
    "serve  --retention") :; return ;;
    "serve key --data") _deckhand_files; return ;;
    "serve account --time-zone") :; return ;;
    "serve account --day-starts-at") :; return ;;
    "serve account --data") _deckhand_files; return ;;
    *" --profile") _deckhand_names profiles; return ;;
    *" --base-url") :; return ;;
    *" --codec") _deckhand_words json transit; return ;;
    *" --timeout") :; return ;;
    *" --retries") :; return ;;
    *" -o" | *" --output") _deckhand_words table json ndjson csv tsv id; return ;;
    *" --columns") :; return ;;
    *" --jq") :; return ;;
    esac
    prefix=
  fi
  if [[ -z $ended && $cur == -* ]]; then
    case "$noun $verb" in
      " ") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -V --version -h --help ;;
      "cards ") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards list") _deckhand_words -d --deck --deck-id -l --limit -a --all --bookmark --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards get") _deckhand_words --raw --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards search") _deckhand_words -l --limit --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards create") _deckhand_words -d --deck --deck-id --content --content-file --front --back --template --template-id --field --field-file --tag --pos --after --before --archived --review-reverse --attach --from --journal --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards update") _deckhand_words -d --deck --deck-id --content --content-file --front --back --template --template-id --field --field-file --tag --pos --after --before --archived --review-reverse --attach --from --journal --fail-fast --no-archived --no-review-reverse --add-tag --remove-tag --clear-tags --trashed --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards edit") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards move") _deckhand_words -d --deck --deck-id --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards archive") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards unarchive") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards trash") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards restore") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "cards delete") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "decks ") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "decks list") _deckhand_words --tree -l --limit --bookmark --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "decks get") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "decks create") _deckhand_words --parent --sort --sort-by --sort-by-direction --cards-view --show-sides --review-reverse --archived --trashed --from --journal --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "decks update") _deckhand_words --parent --sort --sort-by --sort-by-direction --cards-view --show-sides --review-reverse --archived --trashed --name --no-parent --no-sort-by-direction --no-show-sides --no-review-reverse --no-archived --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "decks archive") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "decks unarchive") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "decks trash") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "decks restore") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "decks delete") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "templates ") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "templates list") _deckhand_words -l --limit --bookmark --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "templates get") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "templates create") _deckhand_words --content --content-file --field --option --pos --text-alignment --show-sides-separately --from --journal --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "import ") _deckhand_words -d --deck --deck-id --format --journal --front --back --tags --deck-column --no-header --template --delimiter --no-quotes --encoding --separator --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "export ") _deckhand_words -d --deck --deck-id --format --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "attach ") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "attach add") _deckhand_words --name --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "attach get") _deckhand_words --output-file --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "attach remove") _deckhand_words --fail-fast --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "due ") _deckhand_words -d --deck --no-recursive --date --count --unanswered --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "due list") _deckhand_words -d --deck --no-recursive --date --count --unanswered --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "due review") _deckhand_words -d --deck --no-recursive --date --limit --new --order --practice --plain --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "due log") _deckhand_words --since -d --deck --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "due sync") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "stats ") _deckhand_words --since --until --no-recursive --report --plain --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "add ") _deckhand_words -d --deck --deck-id --tag --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "review ") _deckhand_words -d --deck --no-recursive --date --limit --new --order --practice --plain --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "auth ") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "auth login") _deckhand_words --key-stdin --allow-insecure --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "auth logout") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "auth status") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "auth list") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "auth use") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "config ") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "config list") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "config get") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "config set") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "config unset") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "config path") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "api ") _deckhand_words --query --field --raw-field --input --paginate --include --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "serve ") _deckhand_words --host --port --data --base-path --allow-host --burst --max-body --max-attachment --retention --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "serve key") _deckhand_words --data --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "serve account") _deckhand_words --time-zone --day-starts-at --data --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "demo ") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "completion ") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "doctor ") _deckhand_words --profile --base-url --codec --timeout --retries -o --output --columns --jq -q --quiet -v --verbose --no-color -n --dry-run -y --yes -h --help ;;
      "help ") _deckhand_words  ;;
      "help cards") _deckhand_words  ;;
      "help decks") _deckhand_words  ;;
      "help templates") _deckhand_words  ;;
      "help attach") _deckhand_words  ;;
      "help due") _deckhand_words  ;;
      "help auth") _deckhand_words  ;;
      "help config") _deckhand_words  ;;
      "help serve") _deckhand_words  ;;
    esac
    return
  fi
  case "$noun $verb" in
    " ") ((count == 0)) && _deckhand_words cards decks templates import export attach due stats add review auth config api serve demo completion doctor help ;;
    "cards ") ((count == 0)) && _deckhand_words list get search create update edit move archive unarchive trash restore delete ;;
    "cards list") : ;;
    "cards get") _deckhand_names cards ;;
    "cards search") : ;;
    "cards create") : ;;
    "cards update") _deckhand_names cards ;;
    "cards edit") ((count == 0)) && _deckhand_names cards ;;
    "cards move") _deckhand_names cards ;;
    "cards archive") _deckhand_names cards ;;
    "cards unarchive") _deckhand_names cards ;;
    "cards trash") _deckhand_names cards ;;
    "cards restore") _deckhand_names cards ;;
    "cards delete") _deckhand_names cards ;;
    "decks ") ((count == 0)) && _deckhand_words list get create update archive unarchive trash restore delete ;;
    "decks list") : ;;
    "decks get") _deckhand_names decks ;;
    "decks create") : ;;
    "decks update") _deckhand_names decks ;;
    "decks archive") _deckhand_names decks ;;
    "decks unarchive") _deckhand_names decks ;;
    "decks trash") _deckhand_names decks ;;
    "decks restore") _deckhand_names trashed-decks ;;
    "decks delete") _deckhand_names decks ;;
    "templates ") ((count == 0)) && _deckhand_words list get create ;;
    "templates list") : ;;
    "templates get") _deckhand_names templates ;;
    "templates create") : ;;
    "import ") ((count == 0)) && _deckhand_files ;;
    "export ") ((count == 0)) && _deckhand_files ;;
    "attach ") ((count == 0)) && _deckhand_words add get remove ;;
    "attach add") ((count == 0)) && _deckhand_names cards; ((count >= 1)) && _deckhand_files ;;
    "attach get") ((count == 0)) && _deckhand_names cards ;;
    "attach remove") ((count == 0)) && _deckhand_names cards ;;
    "due ") ((count == 0)) && _deckhand_words list review log sync; ((count == 0)) && _deckhand_names decks ;;
    "due list") ((count == 0)) && _deckhand_names decks ;;
    "due review") ((count == 0)) && _deckhand_names decks ;;
    "due log") : ;;
    "due sync") : ;;
    "stats ") ((count == 0)) && _deckhand_names decks ;;
    "add ") : ;;
    "review ") ((count == 0)) && _deckhand_names decks ;;
    "auth ") ((count == 0)) && _deckhand_words login logout status list use ;;
    "auth login") : ;;
    "auth logout") ((count == 0)) && _deckhand_names profiles ;;
    "auth status") : ;;
    "auth list") : ;;
    "auth use") ((count == 0)) && _deckhand_names profiles ;;
    "config ") ((count == 0)) && _deckhand_words list get set unset path ;;
    "config list") : ;;
    "config get") ((count == 0)) && _deckhand_words profile base-url codec timeout retries output deck allow-insecure review.new-per-day review.pictures review.record review.day-starts-at review.retention color ;;
    "config set") ((count == 0)) && _deckhand_words profile base-url codec timeout retries output deck allow-insecure review.new-per-day review.pictures review.record review.day-starts-at review.retention color; ((count == 1)) && case $before in profile) _deckhand_names profiles ;; codec) _deckhand_words json transit ;; output) _deckhand_words table json ndjson csv tsv id ;; deck) _deckhand_names decks ;; allow-insecure) _deckhand_words true false ;; review.pictures) _deckhand_words auto off kitty sixel blocks ;; review.record) _deckhand_words log none ;; color) _deckhand_words auto always never ;; esac ;;
    "config unset") ((count == 0)) && _deckhand_words profile base-url codec timeout retries output deck allow-insecure review.new-per-day review.pictures review.record review.day-starts-at review.retention color ;;
    "config path") ((count == 0)) && _deckhand_words config credentials data state cache ;;
    "api ") ((count == 0)) && _deckhand_words GET POST DELETE ;;
    "serve ") ((count == 0)) && _deckhand_words key account ;;
    "serve key") ((count == 0)) && _deckhand_words add list remove ;;
    "serve account") ((count == 0)) && _deckhand_words set ;;
    "demo ") : ;;
    "completion ") ((count == 0)) && _deckhand_words bash zsh fish powershell ;;
    "doctor ") : ;;
    "help ") ((count == 0)) && _deckhand_words cards decks templates import export attach due stats add review auth config api serve demo completion doctor exit-codes environment output profiles settings ;;
    "help cards") ((count == 0)) && _deckhand_words list get search create update edit move archive unarchive trash restore delete ;;
    "help decks") ((count == 0)) && _deckhand_words list get create update archive unarchive trash restore delete ;;
    "help templates") ((count == 0)) && _deckhand_words list get create ;;
    "help attach") ((count == 0)) && _deckhand_words add get remove ;;
    "help due") ((count == 0)) && _deckhand_words list review log sync ;;
    "help auth") ((count == 0)) && _deckhand_words login logout status list use ;;
    "help config") ((count == 0)) && _deckhand_words list get set unset path ;;
    "help serve") ((count == 0)) && _deckhand_words key account ;;
  esac
}

complete -F _deckhand deckhand
