import { writeFileSync } from "node:fs";
import { it } from "vitest";
import { openCsv } from "../../src/collections/read/csv.ts";
it("x", async () => {
writeFileSync("/tmp/x.csv", '\ufeffFront;Back;tags;deck\r\n"a\nb";c;x y;A/B\r\n\r\n;;;\r\n"q""q";d,e;"t1, t2";A\r\n1;2;3;4;5\r\nlast;one');
const s = await openCsv("/tmp/x.csv", { format: "csv", name: "x.csv", header: true });
console.log(s.decks);
for await (const c of s.cards((x) => console.log(x))) console.log(JSON.stringify(c));
writeFileSync("/tmp/x.csv", 'Front,Back\na,"b\nc\nd\n');
for await (const c of (await openCsv("/tmp/x.csv", { format: "csv", name: "x.csv", header: true })).cards(() => {})) console.log(c);
});
