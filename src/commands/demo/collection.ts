/** The sample collection: small, true, and with a bit of everything that the card language can do. */

interface SampleDeck {
  readonly name: string;
  /** Names from the root. */
  readonly under?: string;
  readonly sort: number;
}

export interface SampleCard {
  readonly deck: string;
  readonly content?: string;
  /** Values of the fields of the template, by field id. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly reverse?: boolean;
  /** How many days ago it was reviewed, and whether it was remembered then; the oldest first. */
  readonly reviews?: readonly (readonly [daysAgo: number, remembered: boolean])[];
  /** A drawing stored on the card. */
  readonly drawing?: { readonly name: string; readonly text: string };
}

export const decks: readonly SampleDeck[] = [
  { name: "Geography", sort: 0 },
  { name: "Capitals", under: "Geography", sort: 0 },
  { name: "Flags", under: "Geography", sort: 1 },
  { name: "Mountains and rivers", under: "Geography", sort: 2 },
  { name: "Words", sort: 1 },
  { name: "A bit of everything", sort: 2 },
];

export const capitalTemplate = {
  name: "Capital",
  content: [
    "What is the capital of **<< Country >>**?",
    "---",
    "# << Capital >>",
    "<< #Note >>",
    "",
    "> << Note >>",
    "<< /Note >>",
  ].join("\n"),
  fields: {
    name: { id: "name", name: "Country", type: "text", pos: "a" },
    capital: { id: "capital", name: "Capital", type: "text", pos: "b" },
    note: { id: "note", name: "Note", type: "text", pos: "c", options: { "multi-line?": true } },
  },
} as const;

const capital = (country: string, city: string, note = "", more: Partial<SampleCard> = {}): SampleCard => ({
  deck: "Capitals",
  fields: { name: country, capital: city, ...(note === "" ? {} : { note }) },
  ...more,
});

/** A Nordic flag: a cross in a second colour with a wider border, by the proportions of the flag. */
function crossFlag(
  [width, height]: readonly [width: number, height: number],
  [field, border, cross]: readonly [field: string, border: string, cross: string],
  [x, y]: readonly [x: number, y: number],
): string {
  const bars = (from: number, size: number) =>
    `M${x + from} 0h${size}v${height}h-${size}Z M0 ${y + from}h${width}v${size}h-${width}Z`;
  return lines(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width * 12}" height="${height * 12}">`,
    `  <path d="M0 0h${width}v${height}h-${width}Z" fill="${field}"/>`,
    `  <path d="${bars(0, 4)}" fill="${border}"/>`,
    `  <path d="${bars(1, 2)}" fill="${cross}"/>`,
    "</svg>",
    "",
  );
}

const flag = (country: string, text: string, more: Partial<SampleCard> = {}): SampleCard => ({
  deck: "Flags",
  content: lines("Whose flag is this?", "", "![a flag](@media/flag.svg)", "---", country),
  drawing: { name: "flag.svg", text },
  tags: ["europe"],
  ...more,
});

const lines = (...text: readonly string[]) => text.join("\n");

export const cards: readonly SampleCard[] = [
  capital("Norway", "Oslo", "Called Kristiania until 1925.", {
    tags: ["europe"],
    reviews: [
      [40, true],
      [32, true],
    ],
  }),
  capital("Japan", "Tōkyō (東京)", "*Eastern capital*: the western one was Kyōto (京都).", {
    tags: ["asia"],
    reviews: [[9, false]],
  }),
  capital("Thailand", "Bangkok (กรุงเทพฯ)", "Its ceremonial name has 168 letters.", { tags: ["asia"] }),
  capital("Bolivia", "Sucre", "The government sits in La Paz, 3,600 m up.", { tags: ["america"] }),
  capital("Australia", "Canberra", "A compromise between Sydney and Melbourne.", { tags: ["oceania"] }),
  capital("Mongolia", "Ulaanbaatar (Улаанбаатар)", "", { tags: ["asia"], reviews: [[1, true]] }),
  capital("Ethiopia", "Addis Ababa (አዲስ አበባ)", "*New flower*, 2,355 m up.", { tags: ["africa"] }),
  flag("**Norway**", crossFlag([22, 16], ["#ba0c2f", "#ffffff", "#00205b"], [6, 6]), {
    reviews: [[20, true]],
  }),
  flag("**Iceland**: ice, fire and the sea.", crossFlag([25, 18], ["#02529c", "#ffffff", "#dc1e35"], [7, 7])),
  {
    deck: "Mountains and rivers",
    content: lines(
      "The {{1::Nile}} and the {{2::Amazon}} are the two longest rivers;",
      "the {{2::Amazon}} carries the more water by far. #rivers",
    ),
  },
  {
    deck: "Mountains and rivers",
    content: lines(
      "Which mountain is this?",
      "",
      "![a mountain](@media/fuji.svg)",
      "---",
      "==Mount Fuji==, 富士山, 3,776 m",
    ),
    tags: ["asia", "mountains"],
    drawing: {
      name: "fuji.svg",
      text: lines(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 60">',
        '  <path d="M0 60 Q40 45 52 12 L58 16 L63 11 L68 16 Q80 45 120 60 Z" fill="#5b7aa8"/>',
        '  <path d="M52 12 L58 16 L63 11 L68 16 L72 26 L64 22 L58 28 L53 21 L48 26 Z" fill="#fff"/>',
        "</svg>",
        "",
      ),
    },
  },
  {
    deck: "Mountains and rivers",
    content: lines(
      "Order these peaks by height",
      "",
      "- Kilimanjaro",
      "- Aconcagua",
      "- Mont Blanc",
      "---",
      "| Peak | Continent | Height |",
      "|---|---|---:|",
      "| Aconcagua | South America | 6,961 m |",
      "| Kilimanjaro | Africa | 5,895 m |",
      "| Mont Blanc | Europe | 4,806 m |",
    ),
    tags: ["mountains"],
    reviews: [[12, true]],
  },
  {
    deck: "Mountains and rivers",
    content: lines(
      "Which river flows through four capitals?",
      "---",
      "The **Danube**",
      "---",
      "Vienna, Bratislava, Budapest and Belgrade",
    ),
    tags: ["europe", "rivers"],
  },
  {
    deck: "Words",
    content: lines("butterfly, in Spanish", "---", "la mariposa"),
    tags: ["spanish"],
    reverse: true,
  },
  {
    deck: "Words",
    content: lines("butterfly, in German", "---", "der Schmetterling"),
    tags: ["german"],
    reverse: true,
  },
  {
    deck: "Words",
    content: lines("butterfly, in Japanese", "---", "蝶 (ちょう, *chō*)"),
    tags: ["japanese"],
    reverse: true,
    reviews: [[3, false]],
  },
  { deck: "Words", content: "To {{err}} is human, to {{forgive}} divine. #english" },
  {
    deck: "A bit of everything",
    content: lines(
      "How does a closed form look?",
      "",
      "$$\\sum_{k=1}^{n} k = \\,?$$",
      "---",
      "$$\\frac{n(n+1)}{2}$$",
    ),
    tags: ["maths"],
  },
  {
    deck: "A bit of everything",
    content: lines(
      "What does this print?",
      "",
      "```js",
      "console.log([10, 9, 1].sort());",
      "```",
      "---",
      "`[ 1, 10, 9 ]`: without a comparator, `sort` compares as text.",
    ),
    tags: ["code"],
  },
  {
    deck: "A bit of everything",
    content: lines(
      "Who first wrote down how forgetting slows with each repetition?",
      "---",
      "**Hermann Ebbinghaus**, 1885",
      "",
      "He learned ~~poems~~ *nonsense syllables*, and tested himself for years.",
      "See the [forgetting curve](https://en.wikipedia.org/wiki/Forgetting_curve).",
    ),
    tags: ["memory"],
  },
  {
    deck: "A bit of everything",
    content: lines(
      "Before leaving the ground",
      "",
      "- [x] knot",
      "- [x] harness",
      "- [ ] what is missing?",
      "---",
      "**The belay device**: 🧗 check each other, every time.",
    ),
    tags: ["climbing"],
  },
];
