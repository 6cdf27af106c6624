#!/usr/bin/env bash
# Packs deckhand, installs the tarball globally into an empty prefix under each supported line of Node, with and without
# install scripts, and uses it. The Nodes come from the npm registry's package `node`.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm pack --silent --pack-destination "$work" > /dev/null
tarball=$(echo "$work"/*.tgz)
echo "$(basename "$tarball"): $(($(wc -c < "$tarball") / 1024)) KiB"

for line in ${NODES:-20 22 24 26}; do
  npm install --silent --no-audit --no-fund --prefix "$work/node$line" "node@$line" > /dev/null
  bin=$work/node$line/node_modules/node/bin
  for scripts in "" --ignore-scripts; do
    prefix=$work/prefix$line$scripts
    PATH=$bin:$PATH npm install --global --no-audit --no-fund $scripts --prefix "$prefix" "$tarball" > /dev/null 2> "$work/warnings"
    if grep install-scripts "$work/warnings"; then echo "npm warns about install scripts"; exit 1; fi
    run() { env -i PATH="$bin:/usr/bin:/bin" HOME="$prefix" DECKHAND_PROFILE=local "$prefix/bin/deckhand" "$@"; }
    run decks create Geography > /dev/null
    run add --deck Geography "Capital of Norway?" Oslo > /dev/null
    due=$(run due --count 2> "$prefix/stderr")
    names=$(run decks list --jq '.[].name')
    [ "$due" = 1 ] && [ "$names" = Geography ] && [ ! -s "$prefix/stderr" ] || { cat "$prefix/stderr"; echo "failed on Node $line"; exit 1; }
    echo "Node $("$bin/node" --version) ${scripts:-with install scripts}: works, $(find "$prefix/lib/node_modules" -name package.json -path '*/node_modules/*' -prune | wc -l) packages, $(du -sm "$prefix" | cut -f1) MB"
  done
done
