# bash completion for deckhand                              -*- shell-script -*-

# Splits the line up to the cursor as the shell will: the words without their quotes, the word at the cursor, the open
# quote, and the head of that word which readline keeps: it replaces only what follows the last of COMP_WORDBREAKS.
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

# Offers a word, quoted like the start of it that was typed.
_deckhand_offer() {
  local word=$1 char
  [[ $word == "$cur"* ]] || return
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
  # Readline takes a quote at the end for the closing one.
  [[ -n $quote && $word == *"$quote" ]] && word+=$quote
  COMPREPLY+=("$word")
}

_deckhand() {
  local IFS=$' \t\n' words cur quote head redirect line
  COMPREPLY=() && _deckhand_split # COMP_TYPE 63 is the second Tab, which only lists
  if [[ -z $redirect ]]; then
    while IFS= read -r line; do
      if [[ $line == :files ]]; then redirect=1
      elif [[ ${COMP_TYPE:-} == 63 && $line == "$cur"*$'\t'?* ]]; then COMPREPLY+=("${line/$'\t'/  -- }")
      else _deckhand_offer "${line%%$'\t'*}"; fi
    done < <(deckhand __complete "${words[@]:1}" "$cur" 2>/dev/null)
  fi
  if [[ -n $redirect ]]; then compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$cur")); fi
}

complete -F _deckhand deckhand
