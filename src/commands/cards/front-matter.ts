import type { Context } from "../../context/context.ts";
import { isMap } from "../../schema/check.ts";
import { readYamlDocument } from "../../yaml.ts";

/** What the front matter of a text says about a new card. */
interface FrontMatter {
  readonly deck?: string;
  readonly template?: string;
  readonly tags?: readonly string[];
  readonly fields?: ReadonlyMap<string, string>;
  readonly pos?: string;
  readonly archived?: boolean;
  readonly reviewReverse?: boolean;
}

/** Keys that `cards edit` and exports write. Those without a reader belong to a card that exists. */
const readers: Readonly<Record<string, ((value: unknown) => FrontMatter | undefined) | undefined>> = {
  deck: text("deck"),
  template: text("template"),
  pos: text("pos"),
  tags: tagsOf,
  fields: (value) => (isMap(value) ? { fields: fieldValues(value) } : undefined),
  archived: flag("archived"),
  "archived?": flag("archived"),
  "review-reverse": flag("reviewReverse"),
  "review-reverse?": flag("reviewReverse"),
  id: undefined,
  "trashed?": undefined,
  attachments: undefined,
  reviews: undefined,
};

/**
 * Splits front matter from the content of a new card. It counts only if it is a YAML map whose keys are all known: a
 * card may begin with a line of dashes (docs/design/cards.md, Markdown folders).
 */
export function splitFrontMatter(
  text: string,
  context: Context,
): { readonly matter: FrontMatter; readonly content: string } {
  const whole = { matter: {}, content: text };
  const [, yaml, content] =
    /^\uFEFF?---[ \t]*\r?\n([\s\S]*?\n)---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text) ?? [];
  if (yaml === undefined || content === undefined) return whole;
  const settings = settingsIn(yaml);
  if (settings === undefined) return whole;
  let matter: FrontMatter = {};
  for (const [key, value] of Object.entries(settings)) {
    if (!Object.hasOwn(readers, key)) return whole;
    if (value === null) continue;
    const read = readers[key];
    if (read === undefined) {
      context.io.warn(`front matter: ${key} is ignored, a new card gets its own`);
      continue;
    }
    const part = read(value);
    if (part === undefined) return whole;
    matter = { ...matter, ...part };
  }
  return { matter, content };
}

function settingsIn(yaml: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = readYamlDocument(yaml);
    return isMap(value) && Object.keys(value).length > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

function text(name: "deck" | "template" | "pos") {
  return (value: unknown): FrontMatter | undefined =>
    typeof value === "string" || typeof value === "number" ? { [name]: String(value) } : undefined;
}

function flag(name: "archived" | "reviewReverse") {
  return (value: unknown): FrontMatter | undefined =>
    typeof value === "boolean" ? { [name]: value } : undefined;
}

/** A list, or words between commas or spaces, as people write them. */
function tagsOf(value: unknown): FrontMatter | undefined {
  const tags = typeof value === "string" ? value.split(value.includes(",") ? "," : /\s+/) : value;
  return isTexts(tags) ? { tags: tags.map((tag) => tag.trim()) } : undefined;
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const fieldValues = (value: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(value).map(([name, each]) => [name, each === null ? "" : String(each)]));
