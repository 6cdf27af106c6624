/**
 * LaTeX commands that stand for characters, by the class that decides about the spaces around them. Long arrows are short
 * ones, since terminals draw their glyphs over the next cell.
 */
const tables = {
  ord: `alpha=α beta=β gamma=γ delta=δ epsilon=ϵ varepsilon=ε zeta=ζ eta=η theta=θ vartheta=ϑ iota=ι kappa=κ lambda=λ mu=μ
   nu=ν xi=ξ pi=π varpi=ϖ rho=ρ varrho=ϱ sigma=σ varsigma=ς tau=τ upsilon=υ phi=ϕ varphi=φ chi=χ psi=ψ omega=ω
   Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Upsilon=Υ Phi=Φ Psi=Ψ Omega=Ω hbar=ħ ell=ℓ Re=ℜ Im=ℑ aleph=ℵ
   imath=ı jmath=ȷ wp=℘ neg=¬ lnot=¬ forall=∀ exists=∃ nexists=∄ emptyset=∅ varnothing=∅ infty=∞ partial=∂ nabla=∇
   angle=∠ measuredangle=∡ triangle=△ prime=′ degree=° top=⊤ bot=⊥ ldots=… dots=… dotsc=… dotsb=… cdots=⋯ vdots=⋮ ddots=⋱
   square=□ Box=□ blacksquare=■ checkmark=✓ dagger=† ddagger=‡ S=§ P=¶ pounds=£ euro=€ copyright=© AA=Å ae=æ oe=œ o=ø ss=ß
   backslash=\\ Vert=‖ vert=| clubsuit=♣ diamondsuit=♢ heartsuit=♡ spadesuit=♠ flat=♭ natural=♮ sharp=♯ therefore=∴ because=∵`,
  bin: `times=× div=÷ pm=± mp=∓ cdot=⋅ ast=∗ star=⋆ circ=∘ bullet=• oplus=⊕ ominus=⊖ otimes=⊗ odot=⊙ wedge=∧ land=∧ vee=∨
   lor=∨ cap=∩ cup=∪ setminus=∖ uplus=⊎ sqcup=⊔ sqcap=⊓ amalg=⨿ diamond=⋄ ltimes=⋉ rtimes=⋊`,
  rel: `le=≤ leq=≤ leqslant=≤ ge=≥ geq=≥ geqslant=≥ ll=≪ gg=≫ lt=< gt=> ne=≠ neq=≠ approx=≈ equiv=≡ cong=≅ sim=∼ simeq=≃ propto=∝ prec=≺
   succ=≻ preceq=⪯ succeq=⪰ subset=⊂ supset=⊃ subseteq=⊆ supseteq=⊇ subsetneq=⊊ in=∈ notin=∉ ni=∋ mid=∣ nmid=∤ parallel=∥
   perp=⊥ vdash=⊢ dashv=⊣ models=⊨ doteq=≐ coloneqq=≔ triangleq=≜ asymp=≍ to=→ rightarrow=→ leftarrow=← gets=← leftrightarrow=↔ Rightarrow=⇒
   Leftarrow=⇐ Leftrightarrow=⇔ implies=⇒ impliedby=⇐ iff=⇔ longrightarrow=→ longleftarrow=← Longrightarrow=⇒
   longleftrightarrow=↔ mapsto=↦ longmapsto=↦ hookrightarrow=↪ twoheadrightarrow=↠ uparrow=↑ downarrow=↓ updownarrow=↕ Uparrow=⇑ Downarrow=⇓ nearrow=↗ searrow=↘
   rightleftharpoons=⇌ leftrightharpoons=⇋ rightharpoonup=⇀ leadsto=⇝`,
  op: `sum=∑ prod=∏ coprod=∐ int=∫ iint=∬ iiint=∭ oint=∮ oiint=∯ bigcup=⋃ bigcap=⋂ bigoplus=⨁ bigotimes=⨂ bigvee=⋁ bigwedge=⋀`,
  open: "langle=⟨ lceil=⌈ lfloor=⌊ lbrace={ lbrack=[ lvert=| lVert=‖ lparen=(",
  close: "rangle=⟩ rceil=⌉ rfloor=⌋ rbrace=} rbrack=] rvert=| rVert=‖ rparen=)",
  space: "quad=\u2003 qquad=\u2003\u2003 enspace=\u2002 thinspace=\u2009 space=\u2009",
} as const;

/** How a piece of a formula behaves between its neighbours, as in TeX. */
export type Kind = keyof typeof tables | "punct" | "inner";

interface Glyph {
  readonly text: string;
  readonly kind: Kind;
}

const functions =
  "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min Pr sec sin sinh sup tan tanh lcm mod rank tr sgn";

/** The character or word of a command, if it has one. */
export const glyphs: ReadonlyMap<string, Glyph> = new Map([
  ...Object.entries(tables).flatMap(([kind, table]) =>
    table.split(/\s*\n\s*| /).map((entry): [string, Glyph] => {
      const at = entry.indexOf("=");
      const text = entry.slice(at + 1);
      return [
        entry.slice(0, at),
        {
          text: kind === "space" ? text.replace(/\u2003/g, "  ").replace(/[\u2002\u2009]/g, " ") : text,
          kind: kind as Kind,
        },
      ];
    }),
  ),
  ...functions.split(" ").map((name): [string, Glyph] => [name, { text: name, kind: "op" }]),
]);

/** The classes of characters that need no command; any other is ordinary. */
const kinds: readonly (readonly [Kind, string])[] = [
  ["bin", "+-−*±×÷⋅·∘∧∨∩∪"],
  ["rel", "=<>:≤≥≠≈≡∼→←↔⇒⇔∈∉⊂⊆∣"],
  ["open", "([⟨⌈⌊"],
  ["close", ")]!⟩⌉⌋"],
  ["punct", ",;"],
];

export const kindOf = (character: string): Kind =>
  kinds.find(([, characters]) => characters.includes(character))?.[0] ?? "ord";

/** Commands that put a mark over or under their argument, as combining characters. */
export const accents: ReadonlyMap<string, string> = new Map([
  ...["hat", "widehat"].map((name): [string, string] => [name, "\u0302"]),
  ...["tilde", "widetilde"].map((name): [string, string] => [name, "\u0303"]),
  ...["bar", "overline"].map((name): [string, string] => [name, "\u0305"]),
  ...["vec", "overrightarrow"].map((name): [string, string] => [name, "\u20d7"]),
  ["dot", "\u0307"],
  ["ddot", "\u0308"],
  ["acute", "\u0301"],
  ["grave", "\u0300"],
  ["check", "\u030c"],
  ["breve", "\u0306"],
  ["mathring", "\u030a"],
  ["underline", "\u0332"],
]);

/** First code points of A, a and 0 in the mathematical alphabets. */
const alphabets: Readonly<Record<string, readonly [number, number, number?]>> = {
  mathbf: [0x1d400, 0x1d41a, 0x1d7ce],
  boldsymbol: [0x1d400, 0x1d41a, 0x1d7ce],
  bm: [0x1d400, 0x1d41a, 0x1d7ce],
  mathcal: [0x1d49c, 0x1d4b6],
  mathscr: [0x1d49c, 0x1d4b6],
  mathfrak: [0x1d504, 0x1d51e],
  mathbb: [0x1d538, 0x1d552, 0x1d7d8],
  Bbb: [0x1d538, 0x1d552, 0x1d7d8],
};

/** Letters of those alphabets that Unicode had before, at the code points that it left empty. */
const earlier = new Map(
  Object.entries({
    ℬ: 0x1d49d,
    ℰ: 0x1d4a0,
    ℱ: 0x1d4a1,
    ℋ: 0x1d4a3,
    ℐ: 0x1d4a4,
    ℒ: 0x1d4a7,
    ℳ: 0x1d4a8,
    ℛ: 0x1d4ad,
    ℯ: 0x1d4ba,
    ℊ: 0x1d4bc,
    ℴ: 0x1d4c4,
    ℭ: 0x1d506,
    ℌ: 0x1d50b,
    ℑ: 0x1d50c,
    ℜ: 0x1d515,
    ℨ: 0x1d51d,
    ℂ: 0x1d53a,
    ℍ: 0x1d53f,
    ℕ: 0x1d545,
    ℙ: 0x1d547,
    ℚ: 0x1d548,
    ℝ: 0x1d549,
    ℤ: 0x1d551,
  }).map(([letter, code]) => [code, letter]),
);

/** The text in the alphabet of a command (`\mathcal`); undefined if the command is none. */
export function inAlphabet(command: string, text: string): string | undefined {
  const [upper, lower, digit] = (Object.hasOwn(alphabets, command) && alphabets[command]) || [];
  if (upper === undefined || lower === undefined) return undefined;
  return text.replace(/[A-Za-z\d]/g, (character) => {
    const code = character.charCodeAt(0);
    const from = character >= "a" ? lower - 97 : character >= "A" ? upper - 65 : (digit ?? 48) - 48;
    return earlier.get(from + code) ?? String.fromCodePoint(from + code);
  });
}

const raised = pairs(
  "0123456789+-−=()nixyabcdefghjklmoprstuvwzABDEGHIJKLMNOPRTUVWβγδθφχ*†′″∘∗",
  "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱˣʸᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ*†′″°*",
);
const lowered = pairs("0123456789+-−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ");

function pairs(from: string, to: string): ReadonlyMap<string, string> {
  const forms = [...to];
  return new Map([...from].map((character, at) => [character, forms[at] ?? character]));
}

/**
 * All of the text raised or lowered: `x²` if Unicode has each character so, else `^(…)` or `_(…)`, or without parentheses
 * for one character.
 */
export function script(text: string, place: "^" | "_"): string {
  const characters = [...text];
  const forms = characters.map((character) => (place === "^" ? raised : lowered).get(character));
  if (!forms.includes(undefined)) return forms.join("");
  return characters.length === 1 || /^\(.*\)$/.test(text) ? `${place}${text}` : `${place}(${text})`;
}

const vulgar: ReadonlyMap<string, string> = new Map(
  "1/2=½ 1/3=⅓ 2/3=⅔ 1/4=¼ 3/4=¾ 1/5=⅕ 2/5=⅖ 3/5=⅗ 4/5=⅘ 1/6=⅙ 5/6=⅚ 1/7=⅐ 1/8=⅛ 3/8=⅜ 5/8=⅝ 7/8=⅞ 1/9=⅑ 1/10=⅒"
    .split(" ")
    .map((entry) => entry.split("=") as [string, string]),
);

/** The character of a fraction of two numbers, if there is one. */
export const vulgarFraction = (numerator: string, denominator: string): string | undefined =>
  vulgar.get(`${numerator}/${denominator}`);

/** Commands that change the look of what follows in a way that a terminal does not show. */
export const ignored: ReadonlySet<string> = new Set(
  "displaystyle textstyle scriptstyle limits nolimits big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr middle rm bf it nonumber hline hfill notag allowbreak ,! cr mathstrut strut".split(
    " ",
  ),
);
/** Commands whose argument is shown as it is. */
export const transparent: ReadonlySet<string> = new Set(
  "mathrm mathit mathsf mathtt mathnormal operatorname* boxed cancel underbrace overbrace mathop mathbin mathrel mathord ensuremath".split(
    " ",
  ),
);
/** Commands whose argument is text, not a formula. */
export const texts: ReadonlySet<string> = new Set(
  "text textrm textit textbf textsf texttt textnormal mbox hbox operatorname".split(" "),
);
/** Commands that are left out with their argument. */
export const removed: ReadonlySet<string> = new Set(
  "color hspace vspace label phantom hphantom vphantom kern mkern".split(" "),
);

/** The brackets around the rows of an environment. */
export const brackets: Readonly<Record<string, readonly [string, string]>> = {
  pmatrix: ["(", ")"],
  bmatrix: ["[", "]"],
  Bmatrix: ["{", "}"],
  vmatrix: ["|", "|"],
  Vmatrix: ["‖", "‖"],
  cases: ["{", ""],
  rcases: ["", "}"],
};
