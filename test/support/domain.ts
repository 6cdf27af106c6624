/**
 * Whether a value is made of nothing but what the codecs promise: null, booleans, numbers, strings, lists without holes
 * and null-prototype maps.
 */
export function isDomainValue(value: unknown): boolean {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return !Number.isNaN(value);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return Array.from(value as unknown[]).every(isDomainValue);
  return Object.getPrototypeOf(value) === null && Object.values(value).every(isDomainValue);
}

/** All properties of the built-in prototypes: a document must not change them. */
export const prototypes = () =>
  [Object, Array, String, Function].map((type) => Reflect.ownKeys(type.prototype).length).join();
