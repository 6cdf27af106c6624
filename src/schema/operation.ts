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
  /** True where the body of the answer is not documented and may be empty. */
  readonly answerOptional?: true;
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
