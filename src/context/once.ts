interface Once<T> {
  (): T;
  /** Whether it was asked for. */
  readonly created: boolean;
}

/** A value that is created when it is first asked for, and then kept. */
export function once<T>(make: () => T): Once<T> {
  let kept: { readonly value: T } | undefined;
  const get = () => {
    kept ??= { value: make() };
    return kept.value;
  };
  return Object.defineProperty(get, "created", { get: () => kept !== undefined }) as Once<T>;
}
