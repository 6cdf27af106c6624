import { UsageError } from "../errors.ts";
import { formatQuery, type Method, type Operation } from "../schema/index.ts";
import type { CallInput } from "./settings.ts";

/** What a call would send, before it is encoded. A dry run prints it. */
export interface Plan {
  readonly method: Method;
  /** Percent-encoded, relative to the base URL. */
  readonly path: string;
  /** Encoded, without the `?`; "" for none. */
  readonly query: string;
  /** The domain value, or the name of the file that would be uploaded. */
  readonly body: unknown;
}

/**
 * The request of an operation with its input.
 *
 * @throws UsageError if an id or a file name cannot be in a path.
 */
export function plan(operation: Operation, input: CallInput): Plan {
  return {
    method: operation.method,
    path: fillPath(operation.path, input.params ?? {}),
    query: operation.query === undefined ? "" : formatQuery(operation.query, input.query ?? {}),
    body: input.upload === undefined ? input.body : { file: input.upload.fileName },
  };
}

/** The path with `:name` replaced by the percent-encoded parameter. */
function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:([a-z-]+)/g, (_, name: string) => pathSegment(name, params[name] ?? ""));
}

/**
 * One segment of a path, percent-encoded; file names in NFC, ids as they are.
 *
 * `.` and `..` survive percent-encoding, and clients and servers normalise them: deleting the attachment `..` would
 * delete its card (docs/design/wire.md, Requests). They are refused, as are empty segments and control characters.
 */
function pathSegment(name: string, value: string): string {
  const what = name.replace("-", " ");
  if (value === "") throw new UsageError(`the ${what} is empty`);
  const text = name === "file-name" ? value.normalize("NFC") : value;
  if (text === "." || text === "..") throw new UsageError(`${JSON.stringify(text)} cannot be a ${what}`);
  if (hasControl(text)) throw new UsageError(`a ${what} cannot hold control characters`);
  try {
    return encodeURIComponent(text);
  } catch {
    throw new UsageError(`the ${what} is not valid Unicode`);
  }
}

/** C0, DEL and C1. */
const hasControl = (text: string) => /[\u0000-\u001f\u007f-\u009f]/.test(text);

/**
 * The path and query of a raw request.
 *
 * @throws UsageError unless the path begins with one `/` and stays below the base URL.
 */
export function rawTarget(
  path: string,
  pairs: readonly (readonly [string, string])[],
): { readonly path: string; readonly query: string } {
  const [given = "", ...rest] = path.split("?");
  if (!given.startsWith("/") || given.startsWith("//") || /[\\#]/.test(path))
    throw new UsageError(`${JSON.stringify(path)} is not a path below the base URL`, {
      hint: "A path begins with one slash: /cards",
    });
  if (hasControl(path)) throw new UsageError("a path cannot hold control characters");
  const segments = given.slice(1).split("/").map(rawSegment);
  const query = [...(rest.length > 0 ? [encodeRaw(rest.join("?"))] : []), ...pairs.map(queryPair)];
  return { path: `/${segments.join("/")}`, query: query.filter((part) => part !== "").join("&") };
}

function rawSegment(segment: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    throw new UsageError(`${JSON.stringify(segment)} is not percent-encoded correctly`);
  }
  if (decoded === "." || decoded === "..") throw new UsageError("a path cannot hold . or ..");
  if (hasControl(decoded)) throw new UsageError("a path cannot hold control characters");
  return encodeRaw(segment);
}

/** Encodes what a URL cannot contain, and leaves what is encoded already. */
function encodeRaw(text: string): string {
  try {
    return encodeURI(text).replace(/%25(?=[0-9a-f]{2})/gi, "%");
  } catch {
    throw new UsageError("the path is not valid Unicode");
  }
}

const queryPair = ([name, value]: readonly [string, string]) =>
  `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
