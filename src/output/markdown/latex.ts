/** LaTeX commands that have a character of their own, as `command=character`. */
const symbols: ReadonlyMap<string, string> = new Map(
  `alpha=α beta=β gamma=γ delta=δ epsilon=ϵ varepsilon=ε zeta=ζ eta=η theta=θ vartheta=ϑ iota=ι kappa=κ lambda=λ mu=μ
   nu=ν xi=ξ pi=π varpi=ϖ rho=ρ varrho=ϱ sigma=σ varsigma=ς tau=τ upsilon=υ phi=ϕ varphi=φ chi=χ psi=ψ omega=ω
   Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Upsilon=Υ Phi=Φ Psi=Ψ Omega=Ω hbar=ħ ell=ℓ Re=ℜ Im=ℑ aleph=ℵ
   times=× div=÷ pm=± mp=∓ cdot=⋅ ast=∗ star=⋆ circ=∘ bullet=• oplus=⊕ ominus=⊖ otimes=⊗ odot=⊙ wedge=∧ land=∧ vee=∨
   lor=∨ cap=∩ cup=∪ setminus=∖ neg=¬ lnot=¬ le=≤ leq=≤ ge=≥ geq=≥ ll=≪ gg=≫ ne=≠ neq=≠ approx=≈ equiv=≡ cong=≅
   sim=∼ simeq=≃ propto=∝ prec=≺ succ=≻ subset=⊂ supset=⊃ subseteq=⊆ supseteq=⊇ in=∈ notin=∉ ni=∋ mid=∣ nmid=∤
   parallel=∥ perp=⊥ top=⊤ bot=⊥ vdash=⊢ models=⊨ forall=∀ exists=∃ nexists=∄ emptyset=∅ varnothing=∅ infty=∞
   partial=∂ nabla=∇ sum=∑ prod=∏ coprod=∐ int=∫ iint=∬ iiint=∭ oint=∮ sqrt=√ angle=∠ triangle=△ prime=′ degree=°
   to=→ rightarrow=→ leftarrow=← gets=← leftrightarrow=↔ Rightarrow=⇒ Leftarrow=⇐ Leftrightarrow=⇔ implies=⟹ iff=⟺
   longrightarrow=⟶ longleftarrow=⟵ mapsto=↦ uparrow=↑ downarrow=↓ rightleftharpoons=⇌ therefore=∴ because=∵
   ldots=… dots=… cdots=⋯ vdots=⋮ ddots=⋱ langle=⟨ rangle=⟩ lceil=⌈ rceil=⌉ lfloor=⌊ rfloor=⌋ lbrace={ rbrace=}
   Vert=‖ square=□ blacksquare=■ checkmark=✓ dagger=† S=§ P=¶ pounds=£ euro=€ quad=  left= right= displaystyle=`
    .split(/\s*\n\s*|(?<=[^ ]) (?=\S)/)
    .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
);

const letters: ReadonlyMap<string, string> = new Map(
  [..."CHNPQRZE"].map((of, at) => [of, [..."ℂℍℕℙℚℝℤ𝔼"][at] ?? of]),
);

const raised = pairs("0123456789+-=()nixyabcdefghjklmoprstuvwz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣʸᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷᶻ");
const lowered = pairs("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ");

function pairs(from: string, to: string): ReadonlyMap<string, string> {
  const forms = [...to];
  return new Map([...from].map((character, at) => [character, forms[at] ?? character]));
}

const pattern =
  /\\(?:mathbb|Bbb)\{([A-Z])\}|\\(?:text|mathrm|mathbf|mathit|operatorname)\{([^{}\\]*)\}|\^\{?\\circ\}?|([\^_])(?:\{([^{}\\]{1,40})\}|([^\s{}\\]))|\\([A-Za-z]+)|\\([,;:! {}%$&#_])/gu;

/**
 * LaTeX for a terminal: its source, with what has a character in Unicode written as that: Greek letters, signs, arrows,
 * raised and lowered digits. Everything else (`\frac{a}{b}`) stays as it was written.
 */
export function latexText(source: string): string {
  return source.replace(pattern, (...found) => {
    const [all, letter, text, shift, group, single, command, escaped] = found as (string | undefined)[];
    const unchanged = all ?? "";
    if (letter !== undefined) return letters.get(letter) ?? unchanged;
    if (text !== undefined) return text;
    if (shift !== undefined) return shifted(shift, group ?? single ?? "") ?? unchanged;
    if (command !== undefined) return symbols.get(command) ?? unchanged;
    if (escaped !== undefined) return /[,;:! ]/.test(escaped) ? " " : escaped;
    return "°";
  });
}

/** All of the text raised or lowered, or undefined if a character of it has no such form. */
function shifted(shift: string, text: string): string | undefined {
  const forms = [...text].map((character) => (shift === "^" ? raised : lowered).get(character));
  return forms.includes(undefined) ? undefined : forms.join("");
}
