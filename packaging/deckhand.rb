# Homebrew formula; `npm run programs` fills in what stands between at signs.
class Deckhand < Formula
  desc "Study flashcards in your terminal: offline, from Anki, CSV or Markdown"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license "MIT"

  on_macos do
    url "@HOMEPAGE@/releases/download/v@VERSION@/deckhand-macos-arm64"
    sha256 "@SHA256 macos-arm64@"
    depends_on arch: :arm64
  end

  on_linux do
    on_intel do
      url "@HOMEPAGE@/releases/download/v@VERSION@/deckhand-linux-x64"
      sha256 "@SHA256 linux-x64@"
    end
    on_arm do
      url "@HOMEPAGE@/releases/download/v@VERSION@/deckhand-linux-arm64"
      sha256 "@SHA256 linux-arm64@"
    end
  end

  def install
    bin.install Dir["deckhand-*"].first => "deckhand"
    chmod 0755, bin/"deckhand"
    # Its signature was lost when the program was put together.
    system "codesign", "--force", "--sign", "-", bin/"deckhand" if OS.mac?
    generate_completions_from_executable(bin/"deckhand", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/deckhand --version")
  end
end
