import type { Kind } from "./kinds.ts";

/** Compiles each kind once, when it is first asked for: kinds never change. `compile` may ask for the kinds in it. */
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
