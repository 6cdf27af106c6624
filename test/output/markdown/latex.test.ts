import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { latexRows, latexText } from "../../../src/output/markdown/latex/index.ts";

const raw = String.raw;

describe("a formula in a line", () => {
  test.each([
    [raw`\sum_{i=1}^n i^2 = \frac{n(n+1)(2n+1)}{6}`, "∑ᵢ₌₁ⁿ i² = n(n + 1)(2n + 1)/6"],
    [raw`x = \frac{-b\pm\sqrt{b^2-4ac}}{2a}`, "x = (-b ± √(b² - 4ac))/(2a)"],
    [raw`\int_0^1 f(x)\,dx`, "∫₀¹ f(x) dx"],
    [raw`\lim_{x\to 0}\frac{\sin x}{x}=1`, "lim_(x→0) (sin x)/x = 1"],
    [raw`2\pi r`, "2πr"],
    [raw`\frac{d}{dx}\left(x^n\right)=nx^{n-1}`, "(d/dx)(xⁿ) = nxⁿ⁻¹"],
    [raw`\frac12mv^2`, "½mv²"],
    [raw`P(A|B)=\frac{P(B|A)P(A)}{P(B)}`, "P(A|B) = P(B|A)P(A)/P(B)"],
    [raw`\frac{\partial^2 u}{\partial t^2}`, "∂²u/∂t²"],
    [raw`e^{i\pi}+1=0`, "e^(iπ) + 1 = 0"],
    [raw`\mathcal{L}\{f\}(s) \in \mathbb{R}, \mathfrak{g}, \mathbf{v}`, "ℒ{f}(s) ∈ ℝ, 𝔤, 𝐯"],
    [raw`\vec{v}\cdot\hat{n}, \overline{AB}, \dot x`, "v⃗ ⋅ n̂, A̅B̅, ẋ"],
    [raw`f'(x)+f''(x)+f'''(x)`, "f′(x) + f″(x) + f″′(x)"],
    [raw`\sqrt2, \sqrt[3]{x+1}, \sqrt[n]{a}`, "√2, ∛(x + 1), ⁿ√a"],
    [raw`a\equiv b \pmod{n}`, "a ≡ b (mod n)"],
    [raw`\binom{n}{k} = \begin{pmatrix}1&2\\3&4\end{pmatrix}`, "(n choose k) = (1 2; 3 4)"],
    [raw`A^TB^{-1}, x_{\max}, x^Q, x_{yz}`, "AᵀB⁻¹, xₘₐₓ, x^Q, x_(yz)"],
    [raw`-x + y - (-1)`, "-x + y - (-1)"],
    [raw`\left\{x\in\mathbb{R}\mid x>0\right\}`, "{x ∈ ℝ | x > 0}"],
    [raw`\text{if } x \ne 0`, "if x ≠ 0"],
    [raw`\log_2 8 = 3, \sin\theta, \sin(x)`, "log₂ 8 = 3, sin θ, sin(x)"],
    [raw`90^\circ, 10\,\mathrm{m/s^2}, 5\,\%`, "90°, 10 m/s², 5 %"],
    [raw`a \not= b \not\in C`, "a ≠ b ∉ C"],
    [raw`A \xrightarrow{f} B`, "A →[f] B"],
    [raw`\foo{x} + \alpha`, raw`\foo x + α`],
    [raw`\frac{1`, raw`\frac{1`],
  ])("%s is %s", (source, text) => {
    expect(latexText(source)).toBe(text);
  });
});

describe("chemistry", () => {
  test.each([
    [raw`\ce{2H2 + O2 -> 2H2O}`, "2 H₂ + O₂ → 2 H₂O"],
    [raw`\ce{SO4^2- + Ba^2+ -> BaSO4 v}`, "SO₄²⁻ + Ba²⁺ → BaSO₄ ↓"],
    [raw`\ce{CuSO4*5H2O}`, "CuSO₄ ⋅ 5 H₂O"],
    [raw`\ce{N2 + 3H2 <=>[Fe] 2NH3}`, "N₂ + 3 H₂ ⇌[Fe] 2 NH₃"],
    [raw`\ce{Ca(OH)2}, \ce{Fe^{3+}}, \ce{OH-}, \ce{NH4+}`, "Ca(OH)₂, Fe³⁺, OH⁻, NH₄⁺"],
    [raw`\ce{^{227}_{90}Th}`, "²²⁷₉₀Th"],
    [raw`\ce{CH3-CH=CH2}, \ce{HC#CH}`, "CH₃-CH=CH₂, HC≡CH"],
    [raw`\ce{1/2 O2 (g)}, \ce{CO2 ^}`, "½ O₂ (g), CO₂ ↑"],
  ])("%s is %s", (source, text) => {
    expect(latexText(source)).toBe(text);
  });
});

describe("a formula of its own", () => {
  const rows = (source: string, width = 60) => latexRows(source, width).map((row) => row.trimEnd());

  test("has a matrix as aligned rows", () => {
    expect(rows(raw`A=\begin{pmatrix}1&2\\30&4\end{pmatrix}^T x`)).toEqual(["A = ⎛1   2⎞ᵀx", "    ⎝30  4⎠"]);
    expect(rows(raw`\begin{vmatrix}a&b\\c&d\end{vmatrix}=ad-bc`)).toEqual(["│a  b│ = ad - bc", "│c  d│"]);
    expect(rows(raw`\left[\begin{array}{rr}1&-2\\10&4\end{array}\right]`)).toEqual(["⎡ 1  -2⎤", "⎣10   4⎦"]);
  });

  test("has cases after a brace", () => {
    expect(rows(raw`|x|=\begin{cases}x & x\ge0\\-x & \text{otherwise}\end{cases}`)).toEqual([
      "|x| = ⎰x   x ≥ 0",
      "      ⎱-x  otherwise",
    ]);
    expect(rows(raw`\begin{cases}1\\2\\3\end{cases}`)).toEqual(["⎧1", "⎨2", "⎩3"]);
  });

  test("has equations aligned at their signs", () => {
    expect(rows(raw`\begin{aligned}a+b&=c\\d&=e+f\end{aligned}`)).toEqual(["a + b = c", "    d = e + f"]);
    expect(rows(raw`x=1\\y=2`)).toEqual(["x = 1", "y = 2"]);
  });

  test("is one line where its rows are too wide", () => {
    expect(rows(raw`\begin{pmatrix}1&2\\3&4\end{pmatrix}`, 4)).toEqual(["(1 2; 3 4)"]);
  });
});

test("is read without an error and in bounded time, whatever the source", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "{",
      "}",
      "^",
      "_",
      "\\frac",
      "\\sqrt[",
      "\\left(",
      "\\right",
      "\\begin{cases}",
      "\\end{cases}",
      "&",
      "\\\\",
    ),
    fc.constantFrom(
      "\\ce{",
      "\\text{",
      "\\hat",
      "\\not",
      "\\",
      "$",
      "'",
      "]",
      "a",
      "2",
      " ",
      "\\alpha",
      "\\array",
      "__proto__",
    ),
    fc.string({ unit: "grapheme", maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const source = parts.join("");
      expect(typeof latexText(source)).toBe("string");
      expect(latexRows(source, 40).length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
  for (const piece of [
    "{",
    "\\frac",
    "\\sqrt{",
    "a^",
    "\\left(",
    "\\begin{cases}",
    "&",
    "\\\\",
    "\\ce{",
    "^{",
    "'",
  ])
    expect(typeof latexRows(piece.repeat(4000 / piece.length), 40)[0]).toBe("string");
});
