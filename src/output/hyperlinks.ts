/**
 * Whether a terminal knows OSC 8 hyperlinks. Terminals do not tell; these are known to. `FORCE_HYPERLINK` decides where
 * it is set.
 */
export function knowsHyperlinks(env: Readonly<Record<string, string | undefined>>): boolean {
  const forced = env["FORCE_HYPERLINK"];
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  if (env["CI"] || env["TERM"] === "dumb") return false;
  if (env["WT_SESSION"] || env["KITTY_WINDOW_ID"] || env["KONSOLE_VERSION"]) return true;
  if (["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"].includes(env["TERM_PROGRAM"] ?? "")) return true;
  if (Number(env["VTE_VERSION"] ?? 0) >= 5000) return true;
  return /^(xterm-kitty|xterm-ghostty|alacritty|foot)/.test(env["TERM"] ?? "");
}
