/** Anki's flags by their numbers. A flag becomes a tag, and such a tag a flag again (docs/design/cards.md). */
const colours = ["", "red", "orange", "green", "blue", "pink", "turquoise", "purple"];

export const flagTag = (flag: number): string | undefined => {
  const colour = colours[flag];
  return colour ? `flag-${colour}` : undefined;
};

/** 0 for a tag that is not a flag. */
export const flagOf = (tag: string): number =>
  tag.startsWith("flag-") ? Math.max(0, colours.indexOf(tag.slice("flag-".length))) : 0;
