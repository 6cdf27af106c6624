import { readFile } from "node:fs/promises";
import { join } from "node:path";

interface Topic {
  readonly about: string;
  /** Its text, as markdown. */
  text(): Promise<string>;
}

/** A guide of docs/, which is in the package, or one section of it. */
const page = (about: string, file: string, section?: string): Topic => ({
  about,
  async text() {
    // From src/cli as well as from dist/chunks.
    const whole = await readFile(join(__dirname, "..", "..", "docs", file), "utf8");
    // The front matter of the skill is for programs.
    return section === undefined ? whole.replace(/^---\n[\s\S]*?\n---\n/, "") : sectionOf(whole, section);
  },
});

/** What `deckhand help <topic>` shows, besides the commands. */
export const helpTopics: Readonly<Record<string, Topic>> = {
  "exit-codes": page("What each exit code means", "ci.md", "Exit codes"),
  environment: page("The variables that are read", "ci.md", "Environment variables"),
  output: page("Formats, and what is printed where", "ci.md", "Output"),
  profiles: page("Accounts: local, hosted, in CI", "ci.md", "Profiles"),
  settings: page("What `config set` keeps", "reference.md", "Settings"),
  options: page("The options of every command", "reference.md", "Options of every command"),
  cards: page("What a card's content can hold", "cards.md"),
  stats: page("What the statistics are computed from", "stats.md"),
  "import-export": page("Cards from Anki, CSV, Markdown, and back", "import-export.md"),
  reliability: page("What is kept when something fails", "reliability.md"),
  scripts: page("Scripts and CI", "ci.md"),
  agents: page("How an agent uses deckhand", "skill/SKILL.md"),
};

/** The section of a page with this title, up to the next one of its level. */
function sectionOf(text: string, title: string): string {
  const [, section = ""] = `${text}\n## `.split(`\n## ${title}\n`);
  return `## ${title}\n${section.split(/\n## /)[0]}`;
}

/** A topic in lines of so many columns. */
export async function topicText(topic: Topic, width: number, colour: boolean): Promise<string> {
  const [{ parseSide }, { renderBlocks }] = await Promise.all([
    import("../cards/parse.ts"),
    import("../output/markdown/index.ts"),
  ]);
  const blocks = parseSide(await topic.text());
  const look = { width, colour: colour ? 3 : 0, hyperlinks: false, wholeCode: true } as const;
  return `${renderBlocks(blocks, look).join("\n").trimEnd()}\n`;
}
