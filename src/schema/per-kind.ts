import type { Kind } from "./kinds.ts";

/** A function that compiles each kind once, when it is first needed. `compile` may call it for nested kinds. */
export function perKind<T extends object>(compile: (kind: Kind) => T): (kind: Kind) => T {
  const compiled = new WeakMap<Kind, T>();
  return (kind) => {
    let found = compiled.get(kind);
    if (found === undefined) {
      found = compile(kind);
      compiled.set(kind, found);
    }
    return found;
  };
}
