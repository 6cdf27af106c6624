import type { CompiledQuery, DialectAdapter } from "kysely";
import type { Db } from "./tables.ts";

/** Where a value comes in a query that is kept. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A query that runs often. Building it takes longer than SQLite takes to run it, so it is built once for each database.
 *
 * @param build must give the same query for all values; it is called with stand-ins for them
 */
export function prepared<Values extends object, Row>(
  build: (values: Values, db: Db) => { compile(db: Db): CompiledQuery<Row> },
): (db: Db, values: Values) => Promise<readonly Row[]> {
  const built = new WeakMap<DialectAdapter, CompiledQuery<Row>>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    let query = built.get(adapter);
    if (query === undefined) {
      const slots = Object.fromEntries(Object.keys(values).map((name) => [name, new Slot(name)]));
      query = build(slots as Values, db).compile(db);
      built.set(adapter, query);
    }
    const of = values as Readonly<Record<string, unknown>>;
    const parameters = query.parameters.map((each) => (each instanceof Slot ? of[each.name] : each));
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}
