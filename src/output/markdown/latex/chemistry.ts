import { glyphs, script, vulgarFraction } from "./symbols.ts";

const arrows: Readonly<Record<string, string>> = {
  "->": "→",
  "-->": "→",
  "<-": "←",
  "<->": "↔",
  "<=>": "⇌",
  "<=>>": "⇌",
  "<<=>": "⇌",
  "<-->": "⇄",
};

/**
 * In this order: an arrow with what is written above it, a charge or index after `^` or `_`, a command, a number with the
 * character before it, a charge at the end of a formula, a gas or precipitate, a triple bond, a product of crystal water.
 */
const pattern =
  /\s*(<<=>|<=>>|<=>|<-->|<->|-->|->|<-)(?:\[([^\]]*)\])?\s*|([\^_])(?:\{([^{}]*)\}|(\d*[+-]|\d+|[A-Za-z]))|\\([A-Za-z]+)\s?|(?<=[A-Za-z)\]}])(\d+)|(?<![\dA-Za-z)\]])(\d+)\/(\d+)|(?<=[A-Za-z\d)\]}])([+-])(?=$|[\s\],)}])|(?<=\s)(\^|v)(?=\s|$)|(#)|\s*([*.])\s*(?=\d*[A-Z])/g;

/** A formula of `\ce{…}` (the mhchem package): `2H2 + O2 -> 2H2O` as `2H₂ + O₂ → 2H₂O`. */
export function chemistry(source: string): string {
  return source
    .replace(pattern, (...found) => {
      const [
        all,
        arrow,
        above,
        place,
        group,
        single,
        command,
        index,
        upper,
        lower,
        charge,
        phase,
        triple,
        water,
      ] = found as (string | undefined)[];
      if (arrow !== undefined) return ` ${arrows[arrow]}${above ? `[${chemistry(above)}]` : ""} `;
      if (place !== undefined) return script(group ?? single ?? "", place === "^" ? "^" : "_");
      if (command !== undefined) return glyphs.get(command)?.text ?? `\\${command}`;
      if (index !== undefined) return script(index, "_");
      if (upper !== undefined) return vulgarFraction(upper, lower ?? "") ?? `${upper}/${lower}`;
      if (charge !== undefined) return script(charge, "^");
      if (phase !== undefined) return phase === "v" ? "↓" : "↑";
      if (triple !== undefined) return "≡";
      return water === undefined ? (all ?? "") : "·";
    })
    .replace(/[{}$]/g, "")
    .trim();
}
