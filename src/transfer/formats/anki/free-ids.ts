/**
 * Inserts rows at their id, or at the next free one. The ids that were last found taken are skipped: a program makes
 * thousands of cards a second, and each would be tried at all ids of those before it.
 *
 * @param insert inserts the row unless the id is taken; says whether it did
 * @returns a function that inserts a row and returns its id
 */
export function inserter(
  insert: (id: number, values: readonly unknown[]) => boolean,
): (id: number, values: readonly unknown[]) => number {
  // All ids from `first` up to `end`, which is not among them, are taken.
  let first = 0;
  let end = 0;
  return (id, values) => {
    let free = id >= first && id < end ? end : id;
    while (!insert(free, values)) free = free + 1 === first ? end : free + 1;
    const closesGap = free + 1 === first;
    if (id < first || id > end) first = id;
    if (!closesGap) end = free + 1;
    return free;
  };
}
