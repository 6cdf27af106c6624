import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wholeProgram } from "../src/cli/program.ts";
import { manPage } from "./man-page.ts";

/** Writes the man page to dist/man, dated by the build (or by SOURCE_DATE_EPOCH). */
const folder = join("dist", "man");
const epoch = process.env["SOURCE_DATE_EPOCH"];
const built = epoch === undefined ? new Date() : new Date(Number(epoch) * 1000);
const date = built.toLocaleDateString("en-US", {
  month: "long",
  day: "numeric",
  year: "numeric",
  timeZone: "UTC",
});
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "deckhand.1"), await manPage(await wholeProgram(), date));
