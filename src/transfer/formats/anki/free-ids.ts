/**
 * Inserts rows at their id, or at the next free one. No id is found taken twice: a program makes thousands of cards a
 * second, and cards that were reviewed on the same days may have reviews of the same instants.
 *
 * @param insert inserts the row unless the id is taken; says whether it did
 * @returns a function that inserts a row and returns its id
 */
export function inserter(
  insert: (id: number, values: readonly unknown[]) => boolean,
): (id: number, values: readonly unknown[]) => number {
  // For ids that were found taken: a later id, with only taken ones up to it.
  const next = new Map<number, number>();
  return (id, values) => {
    const taken: number[] = [];
    let free = id;
    for (let later = next.get(free); later !== undefined || !insert(free, values); later = next.get(free)) {
      taken.push(free);
      free = later ?? free + 1;
    }
    for (const each of taken) next.set(each, free + 1);
    return free;
  };
}
