import transit from "transit-js";

/** Cards of everyday size: two sides, two fields, and up to twelve reviews. */
export function everydayCards(count: number, first = 0): unknown[] {
  const at = (minutes: number) => new Date(1.7e12 + minutes * 60_000).toISOString();
  return Array.from({ length: count }, (_, offset) => {
    const index = first + offset;
    return {
      id: `c${String(index).padStart(7, "0")}`,
      content: `# What is the capital of country ${index}?\n---\n${"It is a large city by a river. ".repeat(7)}`,
      name: `What is the capital of country ${index}?`,
      "deck-id": `deck000${index % 5}`,
      "template-id": "template",
      pos: `a${index}`,
      tags: ["geography", "europe", `tag${index % 7}`],
      references: [],
      reviews: Array.from({ length: index % 13 }, (_, review) => ({
        date: at(index * 977 + review * 1440),
        due: at(index * 977 + review * 7200),
        "remembered?": review % 3 > 0,
        duration: 3.5 + review,
      })),
      fields: { name: { id: "name", value: `Country ${index}` }, capital: { id: "capital", value: "City" } },
      "created-at": at(index),
      "updated-at": at(index * 3),
      "new?": false,
      "archived?": false,
      "review-reverse?": false,
    };
  });
}

/** What transit-js gives, as the data that JSON would be. */
export function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (transit.isKeyword(value)) return value.name();
  if (transit.isSet(value)) {
    const items: unknown[] = [];
    value.forEach((item) => {
      items.push(plain(item));
    });
    return items;
  }
  if (!transit.isMap(value)) return value;
  const map = Object.create(null) as Record<string, unknown>;
  value.forEach((item, key) => {
    map[String(plain(key))] = plain(item);
  });
  return map;
}
