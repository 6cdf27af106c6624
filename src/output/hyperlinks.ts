type Environment = Readonly<Record<string, string | undefined>>;

/** Values of TERM_PROGRAM of terminals that know OSC 8. */
const programs = /^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio|Tabby)$/;

/**
 * Whether the terminal is one that knows hyperlinks (OSC 8). Those that do not may print the address into the text, so
 * an unknown one gets none; `FORCE_HYPERLINK` decides where it is set.
 */
export function knowsHyperlinks(env: Environment): boolean {
  const forced = env["FORCE_HYPERLINK"];
  if (forced) return forced !== "0" && forced !== "false";
  if (env["TERM"] === "dumb") return false;
  // A multiplexer passes them on or not, as its version and settings have it.
  if (env["TMUX"] || env["STY"]) return false;
  if (programs.test(env["TERM_PROGRAM"] ?? "")) return true;
  if (env["WT_SESSION"] || env["KITTY_WINDOW_ID"] || env["KONSOLE_VERSION"] || env["DOMTERM"]) return true;
  if (/^(?:xterm-kitty|alacritty|foot|contour)/.test(env["TERM"] ?? "")) return true;
  return Number(env["VTE_VERSION"] ?? 0) >= 5000;
}
