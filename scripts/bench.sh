#!/usr/bin/env bash
# Every benchmark, one after the other (docs/design/measurements.md); ends with 1 if a floor is not kept.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
for bench in "${@:-startup codecs list creates upload due serve review home learning mornings imports exports sync stats study}"; do
  for name in $bench; do
    printf '\n== %s\n' "$name"
    node scripts/run.mjs "test/bench/$name.ts" || failed=1
  done
done
exit "$failed"
