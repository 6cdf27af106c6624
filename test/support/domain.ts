/**
 * Whether a value is made of nothing but what the codecs promise: null, booleans, numbers, strings, lists without holes
 * and maps, which have no prototype or that of every object.
 */
export function isDomainValue(value: unknown): boolean {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return !Number.isNaN(value);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return Array.from(value as unknown[]).every(isDomainValue);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === null || prototype === Object.prototype) && Object.values(value).every(isDomainValue);
}

/** A copy in which no map has a prototype: documents may have one, which comparing strictly would tell apart. */
export function bare(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(bare);
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value)) copy[key] = bare((value as Record<string, unknown>)[key]);
  return copy;
}

/** All properties of the built-in prototypes: a document must not change them. */
export const prototypes = () =>
  [Object, Array, String, Function].map((type) => Reflect.ownKeys(type.prototype).length).join();
