import type { ObjectKind } from "../../schema/index.ts";

/** The fields of a body that the kind names; unknown ones are ignored (service.md). */
export function known(kind: ObjectKind, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(kind.fields)) {
    if (Object.hasOwn(body, name) && body[name] !== undefined) values[name] = body[name];
  }
  return values;
}

/** Whether anything is to be changed at all. */
export const given = (values: object): boolean => Object.keys(values).length > 0;
