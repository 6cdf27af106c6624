import { type Method, type Operation, type OperationId, operations } from "../schema/index.ts";
import { badRequest, methodNotAllowed, notFound } from "./errors.ts";

export interface Match {
  readonly id: OperationId;
  readonly operation: Operation;
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly id: OperationId;
  readonly segments: readonly string[];
}

let patterns: readonly Pattern[] | undefined;

/**
 * Finds the operation of a request among those of the schema. A trailing slash makes no difference, nor does which
 * characters of a segment are percent-encoded; an encoded slash is part of its segment. HEAD is answered as GET.
 *
 * @throws Problem 404 for an unknown path, 405 for a wrong method, 400 for a path with broken percent-encoding.
 */
export function matchRoute(method: string, path: string): Match {
  patterns ??= (Object.keys(operations) as OperationId[]).map((id) => ({
    id,
    segments: segmentsOf(operations[id].path),
  }));
  const given = segmentsOf(path).map(decoded);
  const found = patterns.filter(({ segments }) => fits(segments, given));
  if (found.length === 0) throw notFound("there is nothing at this path");
  const asked = method === "HEAD" ? "GET" : method;
  const pattern = found.find(({ id }) => operations[id].method === asked);
  if (pattern === undefined) throw methodNotAllowed(found.map(({ id }): Method => operations[id].method));
  return { id: pattern.id, operation: operations[pattern.id], params: paramsOf(pattern.segments, given) };
}

/** The segments of a path, still encoded: none for `/`, and none after a trailing slash. */
function segmentsOf(path: string): string[] {
  const trimmed = path.endsWith("/") ? path.slice(0, -1) : path;
  return trimmed === "" ? [] : trimmed.slice(1).split("/");
}

function fits(segments: readonly string[], given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, at) => (segment.startsWith(":") ? given[at] !== "" : segment === given[at]))
  );
}

function paramsOf(segments: readonly string[], given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = Object.create(null);
  segments.forEach((segment, at) => {
    if (segment.startsWith(":")) params[segment.slice(1)] = given[at] ?? "";
  });
  return params;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest("the path has broken percent-encoding");
  }
}
