/** What `--output` can be; the settings table holds the same names as values (cli.md, Output). */
export type Format = "table" | "json" | "ndjson" | "csv" | "tsv" | "id";
