import type { Http } from "../http/index.ts";
import { operations, type Template, type TemplateCreation } from "../schema/index.ts";
import { type Call, callOf, creationOf, identified } from "./call.ts";
import { listOf } from "./paging.ts";

export function templatesClient(http: Http) {
  return {
    ...listOf<Template>(http, operations["templates.list"]),
    get: (id: string): Call<Template> =>
      callOf(http, operations["templates.get"], { params: { "template-id": id } }, identified<Template>),
    create: (body: TemplateCreation): Call<Template> =>
      creationOf(http, operations["templates.create"], body),
  };
}
