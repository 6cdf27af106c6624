import { type Method, type Operation, type OperationId, operations } from "../schema/index.ts";
import { badRequest, methodNotAllowed, notFound } from "./errors.ts";

export interface Match {
  readonly id: OperationId;
  readonly operation: Operation;
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>;
}

interface Route {
  readonly id: OperationId;
  readonly segments: readonly string[];
}

/** The routing table is the operations table of the schema: every path of it, and the methods that it has there. */
export interface Router {
  /**
   * Finds the operation of a request. A trailing slash makes no difference, nor does which of its characters a segment
   * has percent-encoded: an encoded slash is part of its segment. HEAD is answered as GET.
   *
   * @throws Problem 404 for an unknown path, 405 for a wrong method, 400 for a path that is not well encoded.
   */
  match(method: string, path: string): Match;
}

export function createRouter(): Router {
  // By the number of their segments.
  const routes: Route[][] = [];
  for (const id of Object.keys(operations) as OperationId[]) {
    const segments = segmentsOf(operations[id].path);
    const alike = routes[segments.length] ?? [];
    routes[segments.length] = [...alike, { id, segments }];
  }
  return {
    match(method, path) {
      const given = segmentsOf(path).map(decoded);
      const found = (routes[given.length] ?? []).filter((route) => fits(route, given));
      if (found.length === 0) throw notFound("there is nothing at this path");
      const asked = method === "HEAD" ? "GET" : method;
      const route = found.find(({ id }) => operations[id].method === asked);
      if (route === undefined) throw methodNotAllowed(found.map(({ id }): Method => operations[id].method));
      return { id: route.id, operation: operations[route.id], params: paramsOf(route, given) };
    },
  };
}

/** The segments of a path, as they stand there: none for `/`, and none after a trailing slash. */
function segmentsOf(path: string): string[] {
  const trimmed = path.endsWith("/") ? path.slice(0, -1) : path;
  return trimmed === "" ? [] : trimmed.slice(1).split("/");
}

/** @param given as many as the route has. */
function fits(route: Route, given: readonly string[]): boolean {
  return route.segments.every((segment, at) =>
    segment.startsWith(":") ? given[at] !== "" : segment === given[at],
  );
}

function paramsOf(route: Route, given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = Object.create(null);
  route.segments.forEach((segment, at) => {
    if (segment.startsWith(":")) params[segment.slice(1)] = given[at] ?? "";
  });
  return params;
}

function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest("the path is not well encoded");
  }
}
