#!/usr/bin/env bash
# Makes build/deckhand_<version>_amd64.deb of build/deckhand-linux-x64, after `npm run programs`.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(node -p 'require("./package.json").version')
homepage=$(node -p 'require("./package.json").homepage.replace(/#.*/, "")')
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
share=$root/usr/share
install -Dm755 build/deckhand-linux-x64 "$root/usr/bin/deckhand"
install -Dm644 completions/deckhand.bash "$share/bash-completion/completions/deckhand"
install -Dm644 completions/_deckhand "$share/zsh/vendor-completions/_deckhand"
install -Dm644 completions/deckhand.fish "$share/fish/vendor_completions.d/deckhand.fish"
mkdir -p "$share/man/man1" "$share/doc/deckhand" "$share/lintian/overrides" "$root/DEBIAN"
gzip -9n < dist/man/deckhand.1 > "$share/man/man1/deckhand.1.gz"
{ cat LICENSE; echo; echo "The licences of what is built in are in third-party-notices.gz."; } > "$share/doc/deckhand/copyright"
gzip -9n < dist/third-party-notices.txt > "$share/doc/deckhand/third-party-notices.gz"
date=$(git log -1 --format=%cD 2>/dev/null || date -R)
printf 'deckhand (%s) stable; urgency=low\n\n  * See CHANGELOG.md.\n\n -- deckhand <deckhand@example.org>  %s\n' "$version" "$date" |
  gzip -9n > "$share/doc/deckhand/changelog.gz"
# The program is Node's own with files in it: its libraries are inside.
echo "deckhand: embedded-library" > "$share/lintian/overrides/deckhand"
cat > "$root/DEBIAN/control" <<END
Package: deckhand
Version: $version
Section: utils
Priority: optional
Architecture: amd64
Depends: libatomic1, libc6 (>= 2.28), libstdc++6
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Maintainer: deckhand <deckhand@example.org>
Homepage: $homepage
Description: flashcards in the terminal
 Reviews, imports and exports flashcards, offline or as a client of a
 Flashcard Service.
END
find "$root" -type d -exec chmod 755 {} + && find "$share" -type f -exec chmod 644 {} +
dpkg-deb --root-owner-group --build "$root" "build/deckhand_${version}_amd64.deb"
