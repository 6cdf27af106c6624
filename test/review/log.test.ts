import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { readHistory, readLog, standingReviews } from "../../src/review/session/history.ts";
import type { AnswerLine, LogLine } from "../../src/review/session/log.ts";
import { openLog } from "../../src/review/session/log.ts";
import { bundle } from "../support/bundle.ts";

const folders: string[] = [];
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), "deckhand-log-"));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true, maxRetries: 10 });
});

const at = (minute: number) => new Date(Date.UTC(2025, 2, 1, 9, minute)).toISOString();
function answer(id: string, minute: number, review?: boolean): AnswerLine {
  const line: AnswerLine = {
    type: "answer",
    id,
    "card-id": `card-${id}`,
    "deck-id": "deck",
    at: at(minute),
    pass: "front",
    "remembered?": review ?? true,
    duration: 2.5,
    left: review === false ? 1 : 0,
  };
  return review === undefined
    ? line
    : { ...line, review: { date: at(minute), "remembered?": review, duration: 2.5, status: "pending" } };
}
const statuses = (text: string) => readHistory(text).answers.map(({ id, status }) => [id, status]);
const text = (lines: readonly LogLine[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

describe("the review log", () => {
  it("gives back what was appended, by this process and the next", async () => {
    const path = join(folder(), "deep", "log.jsonl");
    const first = openLog(path);
    expect(first.append(answer("a", 0, true))).toBeUndefined();
    first.close();
    const second = openLog(path);
    second.append(answer("b", 1));
    second.note({ type: "sent", id: "a" });
    second.close();
    const { answers, damaged } = await readLog(path);
    expect(answers.map((answer) => [answer.read(), answer.status])).toEqual([
      [answer("a", 0, true), "sent"],
      [answer("b", 1), ""],
    ]);
    expect(damaged).toEqual([]);
  });

  it("is an empty log where there is no file, and makes none by reading", async () => {
    const path = join(folder(), "log.jsonl");
    expect((await readLog(path)).answers).toEqual([]);
    openLog(path).close();
    expect(() => statSync(path)).toThrow(/ENOENT/);
  });

  it.skipIf(process.platform === "win32")("is readable by its owner only", () => {
    const path = join(folder(), "reviews", "log.jsonl");
    const log = openLog(path);
    log.append(answer("a", 0));
    log.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });

  it("skips a last line that was cut anywhere and uses everything before it", () => {
    const whole = text([answer("a", 0, true), answer("b", 1, false)]);
    const last = whole.indexOf("\n") + 1;
    for (let cut = last + 1; cut < whole.length - 1; cut++) {
      const history = readHistory(whole.slice(0, cut));
      expect(history.answers.map(({ id }) => id)).toEqual(["a"]);
      expect(history).toMatchObject({ damaged: [2], torn: true });
    }
    expect(readHistory(whole.slice(0, -1)).damaged).toEqual([]);
    expect(readHistory(whole.slice(0, -1)).answers).toHaveLength(2);
  });

  it("goes on after a damaged last line, reports it once, and loses neither what is before nor after", async () => {
    const path = join(folder(), "log.jsonl");
    writeFileSync(path, `${text([answer("a", 0, true)])}{"type":"answer","id":"b","ca`);
    expect(await readLog(path)).toMatchObject({ damaged: [2], torn: true });
    const log = openLog(path);
    log.append(answer("c", 2, false));
    log.append(answer("d", 3, true));
    log.close();
    const { answers, damaged, torn } = await readLog(path);
    expect(answers.map(({ id }) => id)).toEqual(["a", "c", "d"]);
    expect({ damaged, torn }).toEqual({ damaged: [], torn: false });
    expect(readFileSync(path, "utf8")).toContain('"id":"b","ca');
  });

  it("survives blocks of zeros, as a power cut leaves them", async () => {
    const path = join(folder(), "log.jsonl");
    writeFileSync(path, Buffer.concat([Buffer.from(text([answer("a", 0)])), Buffer.alloc(600)]));
    const log = openLog(path);
    log.append(answer("b", 1));
    log.close();
    const { answers, damaged } = await readLog(path);
    expect(answers.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(damaged).toEqual([]);
  });

  it("reports a damaged line in the middle", () => {
    expect(readHistory(`${text([answer("a", 0)])}oops\n${text([answer("b", 1)])}`)).toMatchObject({
      damaged: [2],
      torn: false,
    });
  });

  it("skips kinds of lines that a newer program writes", () => {
    const history = readHistory(`{"type":"mood","good":true}\n${text([answer("a", 0)])}`);
    expect(history.answers).toHaveLength(1);
    expect(history.damaged).toEqual([]);
  });

  it("keeps two processes' lines apart in one file", async () => {
    const path = join(folder(), "log.jsonl");
    const logs = [openLog(path), openLog(path)];
    for (let i = 0; i < 50; i++) logs[i % 2]?.append(answer(`n${i}`, i));
    for (const log of logs) log.close();
    expect((await readLog(path)).answers).toHaveLength(50);
  });

  it("knows what became of each answer", () => {
    const lines: LogLine[] = [
      answer("none", 0),
      answer("pending", 1, true),
      answer("sent", 2, true),
      answer("refused", 3, true),
      answer("undone", 4, true),
      answer("back", 5, true),
      { type: "sent", id: "sent" },
      { type: "refused", id: "refused", reason: "gone" },
      { type: "undone", id: "undone", at: at(6) },
      { type: "undone", id: "back", at: at(6) },
      { type: "withdrawn", id: "back" },
      { type: "sent", id: "unknown" },
    ];
    const history = readHistory(text(lines));
    expect(history.answers.map(({ id, status, withdraw }) => [id, status, withdraw])).toEqual([
      ["none", "", false],
      ["pending", "pending", false],
      ["sent", "sent", false],
      ["refused", "refused", false],
      ["undone", "undone", true],
      ["back", "undone", false],
    ]);
    expect([
      ...standingReviews(
        history,
        history.answers.map(({ cardId }) => ({ id: cardId })),
      ).keys(),
    ]).toEqual(["card-pending", "card-sent", "card-refused"]);
  });

  it("counts an answer as undone also if it was being sent just then", () => {
    const lines: LogLine[] = [
      answer("a", 0, true),
      { type: "undone", id: "a", at: at(1) },
      { type: "sent", id: "a" },
    ];
    expect(statuses(text(lines))).toEqual([["a", "undone"]]);
    expect(readHistory(text(lines)).answers[0]?.withdraw).toBe(true);
  });

  it("never throws on any text, and finds every whole line in it", () => {
    const junk = fc.string({ unit: "binary", maxLength: 40 }).map((s) => s.replaceAll("\n", ""));
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            junk,
            fc.json().map((s) => s.replaceAll("\n", "")),
            fc.nat(1000),
          ),
          { maxLength: 12 },
        ),
        (parts) => {
          const expected = parts.flatMap((part, i) => (typeof part === "number" ? [`n${part}-${i}`] : []));
          const source = parts.map((part, i) =>
            typeof part === "number" ? JSON.stringify(answer(`n${part}-${i}`, i)) : part,
          );
          expect(readHistory(source.join("\n")).answers.map(({ id }) => id)).toEqual(expected);
        },
      ),
    );
  });

  it.skipIf(process.platform === "win32")(
    "refuses an answer that cannot be written, and keeps the file whole",
    async () => {
      const path = join(folder(), "log.jsonl");
      const module = await bundle("src/review/session/log.ts", folder());
      // A limit on the file's size stands in for a full disk: the write that crosses it is cut short.
      const script = `
      process.on("SIGXFSZ", () => {});
      const { openLog } = await import(${JSON.stringify(module)});
      const log = openLog(${JSON.stringify(path)});
      for (let i = 0; i < 20; i++) {
        try { log.append({ ...JSON.parse(process.argv[1]), id: "n" + i }); console.log("taken n" + i); }
        catch (error) { console.log("refused n" + i); }
      }`;
      const child = spawn("bash", [
        "-c",
        'ulimit -f 2; exec "$0" --input-type=module -e "$1" "$2"',
        process.execPath,
        script,
        JSON.stringify(answer("x", 0, true)),
      ]);
      let out = "";
      let err = "";
      child.stdout.on("data", (chunk) => {
        out += chunk;
      });
      child.stderr.on("data", (chunk) => {
        err += chunk;
      });
      await new Promise((resolve) => child.on("close", resolve));
      const { answers, damaged } = await readLog(path);
      if (!out.includes("taken")) throw new Error(err);
      expect(out).toContain("refused n19");
      expect(answers.map(({ id }) => `taken ${id}`)).toEqual(
        out.split("\n").filter((l) => l.startsWith("taken")),
      );
      expect(damaged).toEqual([]);
    },
  );
});
