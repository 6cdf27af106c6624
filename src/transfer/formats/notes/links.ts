const linkOrCode = /```[\s\S]*?```|`[^`\n]+`|(?<![!\\])\[\[([^[\]\n|]+?)(\\?\|)([^[\]\n|]+)\]\]/g;

/**
 * Links with a title, from the order of Obsidian (`[[Note|title]]`) to that of the card language (`[[title|Note]]`) or back.
 * Those in code are text.
 */
export const swapLinks = (text: string): string =>
  text.replace(linkOrCode, (whole, first?: string, bar?: string, last?: string) =>
    first === undefined ? whole : `[[${last}${bar}${first}]]`,
  );
