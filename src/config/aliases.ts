import { UsageError } from "../errors.ts";
import { type Config, isRecord } from "./config-file.ts";

/** The aliases of config.json: words of a command line by name. */
export function aliasesIn(config: Config): ReadonlyMap<string, string> {
  const aliases = config["aliases"];
  if (!isRecord(aliases)) return new Map();
  return new Map(
    Object.entries(aliases).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/**
 * Saves an alias; undefined deletes it.
 * @throws UsageError for an alias that does not exist
 */
export async function changeAlias(folder: string, name: string, words: string | undefined): Promise<void> {
  const { changeConfig } = await import("./change-config.ts");
  await changeConfig(folder, (config) => {
    const aliases = new Map(aliasesIn(config));
    if (words === undefined) {
      if (!aliases.delete(name)) throw new UsageError(`there is no alias ${JSON.stringify(name)}`);
    } else aliases.set(name, words);
    return { ...config, aliases: Object.fromEntries(aliases) };
  });
}

/** Splits a command line at spaces, outside quotes. @throws UsageError for a quote without its end */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (const character of text) {
    if (quote !== "") {
      if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== "") throw new UsageError(`a quote has no end: ${text}`);
  return word === undefined ? words : [...words, word];
}
