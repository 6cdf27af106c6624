import {
  boolean,
  creation,
  keyword,
  object,
  type Received,
  record,
  type Sent,
  string,
  unknown,
} from "./kinds.ts";

export const fieldTypes = [
  "text",
  "boolean",
  "number",
  "draw",
  "ai",
  "speech",
  "image",
  "translate",
  "transcription",
  "dictionary",
  "pinyin",
  "furigana",
] as const;
export const textAlignments = ["left", "center", "right"] as const;

/** A field of a template. Its options are documented only in part, so any are passed on. */
export const templateField = object(
  {
    id: keyword({ about: "Equal to the map key." }),
    name: string({ about: "The name that placeholders use." }),
    type: keyword({ values: fieldTypes, about: "What the field holds." }),
    pos: string({ about: "Position among the fields." }),
    content: string({ about: "Default content or instructions." }),
    options: record(unknown(), { about: "Options of the field, for example multi-line?." }),
  },
  ["id"],
);

const bodyFields = {
  name: string({ notBlank: true, max: 64, about: "The template's name, 1 to 64 characters." }),
  content: string({ about: "Markdown with placeholders << Field name >>." }),
  fields: record(templateField, { keyed: true, about: "The template's fields." }),
  pos: string({ notEmpty: true, about: "Position: templates sort lexicographically by it." }),
  style: object({ "text-alignment": keyword({ values: textAlignments, about: "How text is aligned." }) }),
  options: object({
    "show-sides-separately?": boolean({ about: "Whether review shows one side at a time." }),
  }),
} as const;

export const templateCreate = object(bodyFields, ["name", "content", "fields"]);
export type TemplateCreate = Sent<typeof templateCreate>;
export const templateUpdate = object(bodyFields);
export type TemplateUpdate = Sent<typeof templateUpdate>;
export const templateCreation = creation(templateCreate);

/** A template of cards. */
export const template = object({
  id: keyword({ needed: true, about: "Assigned by the service." }),
  ...bodyFields,
});
export type Template = Received<typeof template>;
