import { stringify } from "csv-stringify/sync";

/** Lines of csv as RFC 4180 has them: CRLF at the end of each, quotes where a value needs them. */
export function csvLines(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    {
      record_delimiter: "\r\n",
      // Left alone, the library quotes only a whole record delimiter; and a row of one empty value would be no row.
      quoted_match: /[\r\n]/,
      quoted_empty: rows[0]?.length === 1,
    },
  );
}
