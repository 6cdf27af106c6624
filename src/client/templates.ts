import type { Http } from "../http/index.ts";
import { operations, type Template, type TemplateCreation, type TemplateUpdate } from "../schema/index.ts";
import { type Call, callOf, creationOf, identified } from "./call.ts";
import { listOf } from "./paging.ts";

export function templatesClient(http: Http) {
  return {
    ...listOf<Template>(http, operations["templates.list"]),
    get: (id: string): Call<Template> =>
      callOf(http, operations["templates.get"], { params: { "template-id": id } }, identified<Template>),
    /** This one and the next only where the service has the extension `template-writes`. */
    update: (id: string, body: TemplateUpdate): Call<Template> =>
      callOf(
        http,
        operations["templates.update"],
        { params: { "template-id": id }, body },
        identified<Template>,
      ),
    delete: (id: string): Call<void> =>
      callOf(http, operations["templates.delete"], { params: { "template-id": id } }, () => {}),
    create: (body: TemplateCreation): Call<Template> =>
      creationOf(http, operations["templates.create"], body),
  };
}
