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
