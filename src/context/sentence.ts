import { jsonText, visible } from "../output/index.ts";
import { doingOf, isMap, type OperationId, operations } from "../schema/index.ts";

/** What an operation would do, in a sentence: `Would change a card: x7Rw2kQp (archived? true)`. */
export function sentenceOf(id: OperationId, params: Readonly<Record<string, string>>, body: unknown): string {
  const given = isMap(body) ? Object.entries(body) : [];
  // Several at once: each has its own.
  const several = Object.fromEntries(given)["operations"];
  if (id === "batch.apply" && Array.isArray(several)) return several.map(batchedSentence).join("\n");
  const names = Object.values(params).join(" ");
  const values = given.map(([name, value]) => `${name} ${brief(value)}`).join(", ");
  return visible(`Would ${doingOf(operations[id])}${names && `: ${names}`}${values && ` (${values})`}`);
}

function batchedSentence(operation: unknown): string {
  const { id, "if-match": _, ...rest } = isMap(operation) ? operation : {};
  const [[name, body] = []] = Object.entries(rest);
  return sentenceOf(name as OperationId, typeof id === "string" ? { id } : {}, body);
}

const longest = 60;

function brief(value: unknown): string {
  const text = jsonText(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
