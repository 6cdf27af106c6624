import type { Compilable, CompiledQuery, QueryCreator } from "kysely";
import type { Db, Tables } from "./tables.ts";

/** Stands in a query for a value that is only known when it is asked. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A query whose SQL is made once, when it is first asked: to build it anew takes longer than SQLite takes to answer.
 *
 *     const deckNamed = prepared((db, { account, id }: { account: string; id: string }) =>
 *       db.selectFrom("deck").selectAll().where("account", "=", account).where("id", "=", id));
 *     const [row] = await deckNamed(db, { account, id });
 *
 * @param build may pass its values on to Kysely, and look at none of them: they are not there yet.
 * @returns asks the query with values, for all rows of its answer.
 */
export function prepared<Values extends object, Row>(
  build: (db: QueryCreator<Tables>, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  let made: CompiledQuery<Row> | undefined;
  return async (db, values) => {
    made ??= build(db, placeholders as Values).compile();
    const { query, queryId, sql } = made;
    const parameters = made.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    return (await db.executeQuery<Row>({ query, queryId, sql, parameters })).rows;
  };
}

const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });
