#!/bin/sh
# Installs deckhand into ~/.local/bin, or the folder that DECKHAND_BIN names. DECKHAND_FROM: where the files are.
set -eu
from=${DECKHAND_FROM:-@HOMEPAGE@/releases/download/v@VERSION@}
bin=${DECKHAND_BIN:-$HOME/.local/bin}
case "$(uname -s) $(uname -m)" in
  "Linux x86_64") target=linux-x64 sum="@SHA256 linux-x64@" ;;
  "Linux aarch64") target=linux-arm64 sum="@SHA256 linux-arm64@" ;;
  "Darwin arm64") target=macos-arm64 sum="@SHA256 macos-arm64@" ;;
  *) echo "There is no program for $(uname -s) $(uname -m). With Node.js: npm install --global deckhand" >&2; exit 1 ;;
esac
mkdir -p "$bin"
new=$(mktemp "$bin/.deckhand.XXXXXX")
trap 'rm -f "$new"' EXIT
case "$from" in
  /*) cp "$from/deckhand-$target" "$new" ;;
  *) curl --fail --silent --show-error --location --proto '=https' --output "$new" "$from/deckhand-$target" ;;
esac
if command -v sha256sum >/dev/null; then found=$(sha256sum "$new"); else found=$(shasum -a 256 "$new"); fi
if [ "${found%% *}" != "$sum" ]; then
  echo "The download is not what was released: nothing was installed. Try again." >&2
  exit 1
fi
chmod 755 "$new"
# Its signature was lost when the program was put together.
if [ "$target" = macos-arm64 ]; then codesign --force --sign - "$new"; fi
version=$("$new" --version) || { echo "It does not run here. On Linux it needs libatomic (Debian: apt install libatomic1)." >&2; exit 1; }
mv "$new" "$bin/deckhand"
echo "Installed deckhand $version as $bin/deckhand"
case ":$PATH:" in *":$bin:"*) ;; *) echo "Add $bin to your PATH to call it deckhand." ;; esac
