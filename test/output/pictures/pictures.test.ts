import { PassThrough } from "node:stream";
import { decode } from "sixel/lib/Decoder";
import { describe, expect, test } from "vitest";
import { parseSide } from "../../../src/cards/parse.ts";
import { renderBlocks } from "../../../src/output/markdown/index.ts";
import { type PictureRows, Pictures, type PictureTerminal } from "../../../src/output/pictures/index.ts";
import { askPictureTerminal, bestProtocol, cellSize } from "../../../src/output/pictures/terminal.ts";

const sharp = await import("sharp").then(
  ({ default: open }) => open,
  () => undefined,
);

const blocks: PictureTerminal = { protocol: "blocks", cell: { width: 10, height: 20 } };
const kitty: PictureTerminal = { protocol: "kitty", cell: { width: 10, height: 20 } };
const sixel: PictureTerminal = { protocol: "sixel", cell: { width: 10, height: 20 } };

async function drawn(
  bytes: Uint8Array | undefined,
  terminal: PictureTerminal,
  columns = 40,
): Promise<PictureRows | undefined> {
  const pictures = new Pictures(terminal);
  const load = async () => bytes;
  expect(pictures.draw("card/file", columns, load)).toBeUndefined();
  await pictures.settled();
  return pictures.draw("card/file", columns, load);
}

/** The French flag as an SVG file of this size. */
const flag = (width: number, height: number) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 3 2"><rect width="3" height="2" fill="#fff"/><rect width="1" height="2" fill="#00f"/><rect x="2" width="1" height="2" fill="#f00"/></svg>`,
  );

describe("a terminal's answers", () => {
  const truecolor = { COLORTERM: "truecolor" };
  const cell = { width: 10, height: 20 };

  test("choose kitty's protocol where it has placeholders", () => {
    expect(bestProtocol("\x1bP>|kitty(0.31.0)\x1b\\\x1b[?62;c", undefined, {})).toBe("kitty");
    expect(bestProtocol("\x1bP>|ghostty 1.1.0\x1b\\\x1b[?62;22c", undefined, {})).toBe("kitty");
    expect(bestProtocol("\x1bP>|kitty(0.26.5)\x1b\\\x1b[?62;c", cell, truecolor)).toBe("blocks");
  });

  test("choose sixel where the terminal names it among its attributes", () => {
    const xterm = "\x1bP>|XTerm(379)\x1b\\\x1b[?63;1;2;4;6;9c";
    expect(bestProtocol(xterm, cell, truecolor)).toBe("sixel");
    expect(bestProtocol(xterm, undefined, truecolor)).toBe("blocks");
    expect(bestProtocol("\x1b[?64;1;2;44c", cell, truecolor)).toBe("blocks");
  });

  test("choose half blocks where there is nothing but true colour, and nothing without", () => {
    expect(bestProtocol("", undefined, truecolor)).toBe("blocks");
    expect(bestProtocol("\x1b[?1;2c", undefined, {})).toBeUndefined();
  });

  test("give the size of a cell, if it is credible", () => {
    expect(cellSize("\x1b[6;21;10t\x1b[?6c")).toEqual({ width: 10, height: 21 });
    expect(cellSize("\x1b[6;0;0t")).toBeUndefined();
    expect(cellSize("\x1b[6;9999;9999t")).toBeUndefined();
    expect(cellSize("")).toBeUndefined();
  });
});

describe("asking a terminal", () => {
  function terminal(answers: string) {
    const stdin = Object.assign(new PassThrough(), {
      isTTY: true,
      isRaw: false,
      setRawMode(raw: boolean) {
        this.isRaw = raw;
        return this;
      },
    });
    const stdout = Object.assign(new PassThrough(), { isTTY: true });
    stdout.on("data", () => answers !== "" && stdin.write(answers));
    return { stdin, stdout };
  }

  test("reads its answers and puts back what was typed meanwhile", async () => {
    const { stdin, stdout } = terminal("x\x1bP>|XTerm(379)\x1b\\\x1b[6;13;6t\x1b[?63;4;6cy");
    const found = await askPictureTerminal({ pictures: "auto", stdin, stdout, env: {} });
    expect(found).toEqual({ protocol: "sixel", cell: { width: 6, height: 13 } });
    expect(stdin.isRaw).toBe(false);
    expect(String(stdin.read())).toBe("xy");
  });

  test("continues without an answer", async () => {
    const found = await askPictureTerminal({ pictures: "sixel", ...terminal(""), env: {} });
    expect(found).toEqual({ protocol: "sixel", cell: { width: 10, height: 20 } });
  });

  test("asks nothing where pictures are off or stdout is not a terminal", async () => {
    const { stdin, stdout } = terminal("");
    stdout.on("data", () => expect.unreachable());
    expect(await askPictureTerminal({ pictures: "off", stdin, stdout, env: {} })).toBeUndefined();
    const off = Object.assign(stdout, { isTTY: false });
    expect(await askPictureTerminal({ pictures: "auto", stdin, stdout: off, env: {} })).toBeUndefined();
  });
});

test("a picture that cannot be fetched stays its label", async () => {
  expect(await drawn(undefined, blocks)).toBeUndefined();
  const failing = new Pictures(blocks);
  failing.draw("a/b", 10, () => Promise.reject(new Error("offline")));
  await failing.settled();
  expect(failing.draw("a/b", 10, () => expect.unreachable())).toBeUndefined();
});

describe.runIf(sharp !== undefined)("with sharp", () => {
  const open = sharp as NonNullable<typeof sharp>;
  const png = () => open(flag(300, 200)).png().toBuffer();

  test.each([
    ["PNG", png],
    [
      "JPEG",
      async () =>
        open(await png())
          .jpeg({ quality: 100, chromaSubsampling: "4:4:4" })
          .toBuffer(),
    ],
    [
      "WebP",
      async () =>
        open(await png())
          .webp({ lossless: true })
          .toBuffer(),
    ],
    [
      "GIF",
      async () =>
        open(await png())
          .gif()
          .toBuffer(),
    ],
    ["SVG", async () => flag(300, 200)],
  ])("half blocks show a %s in its proportions and colours", async (_, make) => {
    const picture = await drawn(await make(), blocks, 30);
    expect(picture?.columns).toBe(30);
    expect(picture?.rows).toHaveLength(10);
    const colours = [...(picture?.rows[0] ?? "").matchAll(/38;2;(\d+);(\d+);(\d+)/g)].map(([, ...rgb]) =>
      rgb.map((value) => Math.round(Number(value) / 255)).join(""),
    );
    expect([...new Set(colours)]).toEqual(["001", "111", "100"]);
    expect(picture?.rows[0]?.endsWith("\x1b[39;49m")).toBe(true);
  });

  test("the first frame of an animated GIF is shown", async () => {
    const frames = await open(
      [
        await open({ create: { width: 20, height: 20, channels: 3, background: "#f00" } })
          .png()
          .toBuffer(),
        await open({ create: { width: 20, height: 20, channels: 3, background: "#0f0" } })
          .png()
          .toBuffer(),
      ],
      { join: { animated: true } },
    )
      .gif()
      .toBuffer();
    expect((await open(frames).metadata()).pages).toBe(2);
    const picture = await drawn(frames, blocks);
    expect(picture?.rows.join("")).toMatch(/38;2;25[3-5];[0-2];[0-2]/);
    expect(picture?.rows.join("")).not.toMatch(/;25[3-5];[0-2]m/);
  });

  test("a transparent picture is on white", async () => {
    const clear = open({ create: { width: 20, height: 20, channels: 4, background: "#00000000" } });
    expect((await drawn(await clear.png().toBuffer(), blocks))?.rows.join("")).toContain(
      "38;2;255;255;255;48;2;255;255;255m",
    );
  });

  test("a damaged file, text and an empty file stay their label", async () => {
    const whole = await png();
    expect(await drawn(whole.subarray(0, whole.length / 2), blocks)).toBeUndefined();
    expect(await drawn(Buffer.from("not a picture"), blocks)).toBeUndefined();
    expect(await drawn(Buffer.alloc(0), blocks)).toBeUndefined();
  });

  test("a picture of 50,000 x 50,000 pixels is refused before it is decoded", async () => {
    const header = Buffer.from(
      await open({ create: { width: 1, height: 1, channels: 3, background: "#000" } })
        .png()
        .toBuffer(),
    );
    header.writeUInt32BE(50_000, 16);
    header.writeUInt32BE(50_000, 20);
    const { crc32 } = await import("node:zlib");
    header.writeUInt32BE(crc32(header.subarray(12, 29)), 29);
    const before = process.memoryUsage().rss;
    expect(await drawn(header, blocks)).toBeUndefined();
    expect(await drawn(flag(50_000, 50_000), blocks)).toBeUndefined();
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  test("an SVG file reads no other file and no address", async () => {
    const source = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="20"><rect width="20" height="20" fill="#fff"/><image xlink:href="file:///etc/hostname" width="20" height="20"/><image xlink:href="http://127.0.0.1:9/x.png" width="20" height="20"/></svg>`;
    expect((await drawn(Buffer.from(source), blocks))?.rows.join("")).toContain("255;255;255");
  });

  test("sixel rows are images as high as a cell that leave the cursor at their end", async () => {
    const picture = await drawn(flag(300, 200), sixel);
    expect(picture?.columns).toBe(30);
    expect(picture?.rows).toHaveLength(10);
    for (const row of picture?.rows ?? []) {
      expect(row.startsWith("\x1bD\x1b[A\x1b7\x1bP")).toBe(true);
      expect(row.endsWith("\x1b\\\x1b8\x1b[30C")).toBe(true);
      expect(row).not.toContain("\n");
      const { width, height } = decode(
        Buffer.from(row.slice(row.indexOf("q") + 1, row.lastIndexOf("\x1b\\"))),
      );
      expect([width, height]).toEqual([300, 20]);
    }
  });

  test("kitty rows transmit their slice and place it in cells of text", async () => {
    const picture = await drawn(flag(300, 200), kitty);
    expect(picture?.rows).toHaveLength(10);
    const ids = new Set<string>();
    for (const row of picture?.rows ?? []) {
      const found =
        /^\x1b_Ga=T,U=1,q=2,f=100,i=(\d+),c=30,r=1,m=0;([^\x1b]+)\x1b\\\x1b\[38;2;(\d+);(\d+);(\d+)m/.exec(
          row,
        );
      const [, id, data, red, green, blue] = found ?? [];
      ids.add(id ?? "");
      expect(Number(red) * 65536 + Number(green) * 256 + Number(blue)).toBe(Number(id));
      expect(await open(Buffer.from(data ?? "", "base64")).metadata()).toMatchObject({
        width: 300,
        height: 20,
      });
      expect(row.match(/\u{10eeee}/gu)).toHaveLength(30);
    }
    expect(ids.size).toBe(10);
  });

  test("a large slice is transmitted in chunks of at most 4096 characters", async () => {
    const noise = Buffer.from(Array.from({ length: 300 * 200 * 3 }, (_, at) => (at * at * 7919) >> 5));
    const file = await open(noise, { raw: { width: 300, height: 200, channels: 3 } })
      .png()
      .toBuffer();
    const [row = ""] = (await drawn(file, kitty))?.rows ?? [];
    const chunks = [...row.matchAll(/\x1b_G([^;]*);([^\x1b]*)\x1b\\/g)];
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.map(([, keys]) => keys?.slice(-3))).toEqual(
      chunks.map((_, at) => (at < chunks.length - 1 ? "m=1" : "m=0")),
    );
    for (const [, , data] of chunks) expect(data?.length).toBeLessThanOrEqual(4096);
  });

  test("a picture takes at most the columns and rows that there are, and is not enlarged", async () => {
    const pictures = new Pictures(kitty, { maxRows: () => 6 });
    const load = async () => flag(3000, 2000);
    for (const columns of [5, 80]) pictures.draw("a/b", columns, load);
    pictures.draw("a/small", 80, async () => flag(30, 20));
    await pictures.settled();
    expect(pictures.draw("a/b", 5, load)).toMatchObject({ columns: 5 });
    expect(pictures.draw("a/b", 80, load)?.rows).toHaveLength(6);
    expect(pictures.draw("a/small", 80, load)?.columns).toBe(3);
  });

  test("a file is fetched once for all sizes", async () => {
    let fetched = 0;
    const load = async () => {
      fetched++;
      return flag(300, 200);
    };
    let ready = 0;
    const pictures = new Pictures(blocks, { ready: () => ready++ });
    for (const columns of [10, 20, 10]) pictures.draw("a/b", columns, load);
    await pictures.settled();
    expect([fetched, ready]).toEqual([1, 2]);
  });

  test("a card shows its pictures as rows between its lines, and labels until they are ready", async () => {
    const pictures = new Pictures(blocks);
    const asked: string[] = [];
    const render = () =>
      renderBlocks(
        parseSide("Flag of ![f](@media/f.svg)\nwhere?\n\n- ![g](f.svg)\n\n![web](https://x.y/z.png)"),
        {
          width: 20,
          colour: 3,
          hyperlinks: false,
          picture: ({ file }, columns) => {
            asked.push(`${file} ${columns}`);
            return pictures.draw(`c/${file}`, columns, async () => flag(90, 60));
          },
        },
      );
    expect(render().join("\n")).toContain("[image: f]");
    expect(asked).toEqual(["f.svg 20", "f.svg 18"]);
    await pictures.settled();
    const lines = render();
    expect(lines[0]).toBe("Flag of");
    expect(lines.slice(1, 7).every((line) => line.includes("▀"))).toBe(true);
    expect(lines[7]).toBe("where?");
    expect(lines[9]).toMatch(/^• .*▀/);
    expect(lines.at(-1)).toContain("[image: web]");
  });
});
