/** The named character references that people write in cards, as `name=character`; any other is left as it stands. */
const named: ReadonlyMap<string, string> = new Map(
  `amp=& lt=< gt=> quot=" apos=' nbsp=\u00a0 ensp=\u2002 emsp=\u2003 thinsp=\u2009 zwj=\u200d
   zwnj=\u200c copy=© reg=® trade=™ deg=° plusmn=± times=× divide=÷ frac12=½ frac14=¼ frac34=¾ sup1=¹
   sup2=² sup3=³ micro=µ middot=· bull=• hellip=… ndash=– mdash=— lsquo=‘ rsquo=’ sbquo=‚ ldquo=“
   rdquo=” bdquo=„ laquo=« raquo=» lsaquo=‹ rsaquo=› sect=§ para=¶ dagger=† Dagger=‡ permil=‰ euro=€
   pound=£ yen=¥ cent=¢ iexcl=¡ iquest=¿ ordf=ª ordm=º not=¬ shy=\u00ad larr=← uarr=↑ rarr=→ darr=↓
   harr=↔ lArr=⇐ rArr=⇒ hArr=⇔ forall=∀ part=∂ exist=∃ empty=∅ nabla=∇ isin=∈ notin=∉ ni=∋ prod=∏ sum=∑
   minus=− radic=√ prop=∝ infin=∞ ang=∠ and=∧ or=∨ cap=∩ cup=∪ int=∫ there4=∴ sim=∼ cong=≅ asymp=≈ ne=≠
   equiv=≡ le=≤ ge=≥ sub=⊂ sup=⊃ sube=⊆ supe=⊇ oplus=⊕ otimes=⊗ perp=⊥ szlig=ß aelig=æ AElig=Æ oslash=ø
   Oslash=Ø aring=å Aring=Å auml=ä ouml=ö uuml=ü Auml=Ä Ouml=Ö Uuml=Ü eacute=é egrave=è ecirc=ê euml=ë
   Eacute=É agrave=à aacute=á acirc=â atilde=ã ccedil=ç Ccedil=Ç iacute=í igrave=ì icirc=î iuml=ï
   ntilde=ñ Ntilde=Ñ oacute=ó ograve=ò ocirc=ô otilde=õ uacute=ú ugrave=ù ucirc=û yacute=ý yuml=ÿ
   alpha=α beta=β gamma=γ delta=δ epsilon=ε zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ mu=μ nu=ν xi=ξ
   pi=π rho=ρ sigma=σ tau=τ upsilon=υ phi=φ chi=χ psi=ψ omega=ω Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ
   Pi=Π Sigma=Σ Phi=Φ Psi=Ψ Omega=Ω`
    .split(/[ \n]+/)
    .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
);

const reference = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,30}));/g;

/** The text with its character references (`&amp;`, `&#233;`, `&#xe9;`) as the characters that they name. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(reference, (all, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return named.get(name) ?? all;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    const scalar = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return scalar ? String.fromCodePoint(code) : "\ufffd";
  });
}
