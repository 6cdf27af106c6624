import type { Extension } from "./answers.ts";
import type { ObjectKind } from "./kinds.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** One method and path. The client calls by it, the local service routes by it. */
export interface Operation {
  /** `<resource>.<verb>`, also the operationId of the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  /** Relative to the base URL, parameters as `:name`. */
  readonly path: string;
  readonly about: string;
  readonly query?: ObjectKind;
  /** A map in the codec's encoding, or one multipart part named `file`. */
  readonly body?: ObjectKind | "multipart";
  /** A document, bytes (a download), or nothing: an "empty" answer may still have a body, which is ignored. */
  readonly answer: ObjectKind | "bytes" | "empty";
  /** "any": the body of the answer is not documented, and is used only if it is what `answer` says. */
  readonly answerOptional?: "empty" | "any";
  /** Whether it may be sent again when it is unknown whether it was carried out. */
  readonly repeatable: boolean;
  /** Only where the service names this extension. */
  readonly extension?: Extension;
  readonly documented: boolean;
}

type Declaration = Omit<Operation, "id" | "method" | "path" | "repeatable" | "documented"> & {
  /** Its method and path. */
  readonly request: `${Method} /${string}`;
  /** True if absent. */
  readonly repeatable?: false;
};
type Declared<Id, D> = D extends { request: `${infer M extends Method} ${infer Path}` }
  ? Omit<Operation, keyof D> &
      Omit<D, "request"> & { readonly id: Id; readonly method: M; readonly path: Path }
  : never;

/** The operations that are declared, by their ids; one without an extension is documented. */
export const operationsOf = <const D extends Readonly<Record<string, Declaration>>>(declared: D) =>
  Object.fromEntries(
    Object.entries(declared).map(([id, { request, ...rest }]) => {
      const [method, path] = request.split(" ");
      const documented = rest.extension === undefined && id !== "service.describe";
      return [id, { id, method, path, repeatable: true, documented, ...rest }];
    }),
  ) as unknown as { readonly [Id in keyof D]: Declared<Id, D[Id]> };

/** What an operation does, as it follows "would": `change a card`. Its verb is the first word of `about`. */
export function doingOf({ about }: Pick<Operation, "about">): string {
  const [verb = "", ...words] = (about.match(/^[^.:;,]+/)?.[0] ?? "").split(" ");
  return [verb.toLowerCase().replace(/s$/, ""), ...words].join(" ");
}

/**
 * Why a text cannot be a segment of a path. `.` and `..` survive percent-encoding, and clients and servers normalise
 * them: deleting the attachment `..` would delete its card (docs/design/wire.md, Requests).
 */
export function problemInPath(what: string, text: string): string | undefined {
  if (text === "") return `the ${what} is empty`;
  if (text === "." || text === "..") return `${JSON.stringify(text)} cannot be a ${what}`;
  if (hasControl(text)) return `a ${what} cannot hold control characters`;
  return /\p{Surrogate}/u.test(text) ? `the ${what} is not valid Unicode` : undefined;
}

export const fitsPath = (id: string): boolean => problemInPath("id", id) === undefined;

/** C0, DEL and C1. */
export const hasControl = (text: string) => /[\u0000-\u001f\u007f-\u009f]/.test(text);
