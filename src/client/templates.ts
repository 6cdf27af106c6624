import type { Http } from "../http/index.ts";
import { operations, type Page, type Template, type TemplateCreation } from "../schema/index.ts";
import { type Call, callOf, creationOf, identified } from "./call.ts";
import { collectPages, followPages, type PageOptions, pageOf } from "./paging.ts";

export function templatesClient(http: Http) {
  const list = (query: { readonly bookmark?: string | undefined } = {}): Call<Page<Template>> =>
    callOf(http, operations["templates.list"], { query: { ...query } }, pageOf<Template>);
  const pages = (options: PageOptions = {}) =>
    followPages((bookmark) => list({ bookmark }).send(), options, undefined);
  return {
    list,
    pages,
    all: (): Promise<readonly Template[]> => collectPages(pages()),
    get: (id: string): Call<Template> =>
      callOf(http, operations["templates.get"], { params: { "template-id": id } }, identified<Template>),
    create: (body: TemplateCreation): Call<Template> =>
      creationOf(http, operations["templates.create"], body),
  };
}
