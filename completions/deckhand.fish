# fish completion for deckhand

function __deckhand_complete
    set -l words (commandline -opc)
    # The word at the cursor without quotes and escapes.
    set -l current (commandline -ct | string replace -ra '[\'"\\\\]' '')
    set -l found (deckhand __complete $words[2..-1] "$current" 2>/dev/null)
    if test "$found[1]" = :files
        __fish_complete_path "$current"
    else if test (count $found) -gt 0
        printf '%s\n' $found
    end
end

complete -c deckhand -f -a '(__deckhand_complete)'
