interface Once<T> {
  (): T;
  /** Whether it was asked for. */
  readonly made: boolean;
}

/** A value that is made when it is first asked for, and then kept. */
export function once<T>(make: () => T): Once<T> {
  let kept: { readonly value: T } | undefined;
  const get = () => {
    kept ??= { value: make() };
    return kept.value;
  };
  return Object.defineProperty(get, "made", { get: () => kept !== undefined }) as Once<T>;
}
