import { UsageError } from "../../errors.ts";
import { isMap } from "../../schema/check.ts";
import { readYamlDocument } from "../../yaml.ts";

/** What the front matter of a card says, by the names of the options. */
export interface FrontMatter {
  readonly deck?: string;
  readonly template?: string;
  readonly tags?: readonly string[];
  readonly fields?: ReadonlyMap<string, string>;
  readonly pos?: string;
  readonly archived?: boolean;
  readonly reviewReverse?: boolean;
}

/** Keys that `cards edit` and exports write. Those of no option belong to a card that exists. */
const options: Readonly<Record<string, keyof FrontMatter | undefined>> = {
  ...{ deck: "deck", template: "template", pos: "pos", tags: "tags", fields: "fields" },
  ...{ archived: "archived", "archived?": "archived" },
  ...{ "review-reverse": "reviewReverse", "review-reverse?": "reviewReverse" },
  ...{ id: undefined, "trashed?": undefined, attachments: undefined, reviews: undefined },
};

function valueFor(option: keyof FrontMatter, value: unknown, key: string) {
  if (option === "tags") return tagsOf(value, key);
  if (option === "fields") {
    if (!isMap(value)) throw new UsageError("fields must be a map: a line for each field");
    return new Map(Object.entries(value).map(([name, each]) => [name, textOf(each ?? "", name)]));
  }
  if (option !== "archived" && option !== "reviewReverse") return textOf(value, key);
  if (typeof value !== "boolean") throw new UsageError(`${key} must be true or false`);
  return value;
}

/**
 * Reads settings; null is no value. What belongs to a card that exists is left out.
 *
 * @throws UsageError for an unknown setting, and for a value that is none of its
 */
export function readSettings(settings: Readonly<Record<string, unknown>>): FrontMatter {
  let matter: FrontMatter = {};
  for (const [key, value] of Object.entries(settings)) {
    if (!Object.hasOwn(options, key))
      throw new UsageError(
        `there is no setting ${JSON.stringify(key)} at the top; there are deck, tags, template, fields, pos, archived, review-reverse`,
      );
    const option = options[key];
    if (value !== null && option !== undefined)
      matter = { ...matter, [option]: valueFor(option, value, key) };
  }
  return matter;
}

/** The text between two lines of dashes at the top, and what follows them; undefined where there are none. */
export function splitMatter(text: string): { readonly yaml: string; readonly content: string } | undefined {
  const [, yaml, content] =
    /^\uFEFF?---[ \t]*\r?\n([\s\S]*?\n)---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text) ?? [];
  return yaml === undefined || content === undefined ? undefined : { yaml, content };
}

/**
 * Splits front matter from the content of a new card. It counts only if it is a YAML map whose keys are all known: a
 * card may begin with a line of dashes (docs/design/cards.md, Markdown folders).
 */
export function splitFrontMatter(text: string): { readonly matter: FrontMatter; readonly content: string } {
  const whole = { matter: {}, content: text };
  const split = splitMatter(text);
  if (split === undefined) return whole;
  try {
    const settings = readYamlDocument(split.yaml);
    if (!isMap(settings) || Object.keys(settings).length === 0) return whole;
    return { matter: readSettings(settings), content: split.content };
  } catch {
    return whole;
  }
}

/** A list, or words between commas or spaces, as people write them. */
function tagsOf(value: unknown, key: string): readonly string[] {
  const tags = typeof value === "string" ? value.split(value.includes(",") ? "," : /\s+/) : value;
  if (!Array.isArray(tags))
    throw new UsageError('tags must be a list: a line "- tag" for each, or [one, two]');
  return tags.map((tag) => textOf(tag, key).trim());
}

function textOf(value: unknown, key: string): string {
  if (!["string", "number", "boolean"].includes(typeof value)) throw new UsageError(`${key} must be text`);
  return String(value);
}
