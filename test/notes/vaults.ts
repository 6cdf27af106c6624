import { seededRandom } from "../support/random.ts";
import type { Notebook } from "./model.ts";

/**
 * Cards as people write them in folders of hashcards and in vaults of Obsidian: facsimiles of what public ones look like,
 * in their forms, with their lengths and their likenesses. Sides are separated by ` / `; one of a single side is a cloze.
 */

/** hashcards: formulas over several lines, short answers, clozes. */
const mathematics = String.raw`
What does $e^{i\pi} + 1$ evaluate to? / $0$
State De Morgan's first law. / $$~\neg (P \land Q) \equiv \neg P \lor \neg Q~$$
State De Morgan's second law. / $$~\neg (P \lor Q) \equiv \neg P \land \neg Q~$$
What is the determinant of a 2x2 matrix? / $$~\det \begin{pmatrix} a & b \\ c & d \end{pmatrix} = ad - bc~$$
What is the inverse of a 2x2 matrix? / $$~\frac{1}{ad - bc} \begin{pmatrix} d & -b \\ -c & a \end{pmatrix}~$$
When is a matrix invertible? / If and only if its determinant is not zero.
Define: injective. / $f(a) = f(b)$ implies $a = b$.
Define: surjective. / Each element of the codomain is $f(a)$ for some $a$.
Define: bijective. / Injective and surjective.
What does \theta render? / $\theta$
What does \varphi render? / $\varphi$
The [order] of a group is [the number of its elements].
The [index] of a subgroup is [the number of its cosets].
A [ring] is an abelian group with [a second, associative operation] that distributes over the first.
Every [finite] integral domain is a [field].`;

/** An editor's keys: code on the left, a few words on the right, many of them the same. */
const editor = `
${"`h` `j` `k` `l`"} / move
${"`d`"} / delete the selection
${"`c`"} / change the selection
${"`y`"} / yank the selection
${"`i`"} / insert before the selection
${"`a`"} / insert after the selection
${"`I`"} / insert at the start of the line
${"`A`"} / insert at the end of the line
${"`o`"} / open a line below
${"`O`"} / open a line above
${"`w`"} / select to the start of the next word
${"`W`"} / select to the start of the next WORD
${"`b`"} / select to the start of the word before
${"`e`"} / select to the end of the word
${"`x`"} / select the line
${"`%`"} / select the whole file
${"`s`"} / select matches in the selection
${"`space` `f`"} / find a file
${"`space` `b`"} / find a buffer`;

/** Lecture notes: questions with answers of several lines, code, lists. */
const lectures = `
What is the role of an \`entity\` in VHDL? / **Answer:**~It defines the interface: generics and ports of the block.
What is the role of an \`architecture\` in VHDL? / **Answer:**~It describes the implementation or the behaviour of the block.
When does a process run? / When a signal of its sensitivity list changes.
What is the difference between a signal and a variable? / - a signal changes after a delta cycle~- a variable changes at once
Which ports may an entity have? / - in~- out~- inout~- buffer
How is a rising edge detected? / \`\`\`vhdl~if rising_edge(clk) then~  q <= d;~end if;~\`\`\`
What is the idea of generational garbage collection? / Most objects die young: the young generation is collected often, the old one rarely.
Which generations does a typical collector have? / 1. young: eden and two survivor spaces~2. old~3. permanent, or metaspace
What is a survivor space for? / Objects that outlived a collection wait there until they are old enough.
What is temporal logic used for in model checking? / To state what must hold along all paths of a system, in time.
What does a learning rate that is too high do? / The loss jumps, or grows.
Training error still falls. Why would you stop? / Validation error rises: what is learned from here on is noise.`;

/** A certificate for administrators: long questions with code, short answers with code. */
const certificate = `
Which type of links raises the number that \`ls -l\` shows? / hard links
How is a hard link made? / \`ln /existing/file /new/file\`
How is a symbolic link made? / \`ln -s /existing/file /new/file\`
Which type of links may lead to another file system? / symbolic links
Which option of \`ls\` shows hidden files? / \`-a\`
Which option of \`cp\` copies folders? / \`-r\`
Which option of \`mkdir\` makes the folders above, too? / \`-p\`
Which command changes the owner of a file? / \`chown\`
Which command changes the permissions of a file? / \`chmod\`
Which bit makes new files belong to the group of their folder? / setgid
What is the number of the permission to read? / 4
What is the number of the permission to write? / 2
What is the number of the permission to execute? / 1
Which file lists the accounts of the system? / \`/etc/passwd\`
Which file has the hashes of the passwords? / \`/etc/shadow\`
Which file says what is mounted at the start? / \`/etc/fstab\``;

/** Words of several scripts, as lists of vocabulary have them. */
const vocabulary = `
家 / house
狗 / dog
猫 / cat
水 / water
火 / fire
你好吗？ / How are you?
我很好，谢谢。 / I am fine, thank you.
дом / house
собака / dog
кошка / cat
вода / water
Что такое класс? / Описание объектов одного вида.
Что такое интерфейс? / Описание того, что умеет объект.
하다 / to do
가다 / to go
먹다 / to eat
학교에 가요. / I go to school.
밥을 먹어요. / I eat.`;

/** Sentences with highlights, in the text of a note. */
const articles = `
The ==mitochondrion== makes most of the energy of a cell.
The ==ribosome== joins amino acids to proteins.
HTTP listens on port ==80==, HTTPS on port ==443==.
PostgreSQL listens on port ==5432== unless it is told otherwise.
The Treaty of Westphalia was signed in ==1648==.
The Congress of Vienna ended in ==1815==.
A hypothesis is ==falsifiable== if an observation could contradict it.
A cache that is full evicts the entry that was used ==least recently==.
In Rust a value has ==one owner== at a time.
In Go a channel without a buffer ==blocks== until somebody receives.
The derivative of ==$\\sin x$== is ==$\\cos x$==.
Water boils at ==100 °C== at the pressure of the sea level.`;

/** The names of the files, with what is at the top of each. */
const tops: Readonly<Record<string, string>> = {
  "mathematics.md": "# Mathematics\n\nWhat I want to keep of the first year.\n\n",
  "editor.md": "#flashcards/editor\n\n",
  "lectures/notes.md": "---\ntags: [flashcards, study]\naliases:\n---\n\n## Summary\n\n",
  "certificate.md": "---\ntags:\n  - flashcards\n  - linux\n---\n\n",
  "words.md": "#flashcards/words #languages\n\n",
  "articles.md": "#flashcards\n\n# Read in May\n\n",
};

const cardsOf = (text: string): string[][] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split(" / ").map((side) => side.replaceAll("~", "\n")));

export function vaults(): Notebook {
  let count = 0;
  const texts = [mathematics, editor, lectures, certificate, vocabulary, articles];
  const files = new Map(
    Object.keys(tops).map((name, index) => [
      name,
      cardsOf(texts[index] ?? "").map((sides) => ({ id: `card${++count}`, sides })),
    ]),
  );
  return { files, gone: [], count };
}

/** A file as a person keeps it: each card in the form that its text allows, some with schedules, prose between. */
export function fileText(
  name: string,
  cards: readonly { readonly id: string; readonly sides: readonly string[] }[],
): string {
  const top = tops[name] ?? "#flashcards\n\n";
  const parts = cards.map(({ id, sides }) => {
    const random = seededRandom(Number(id.replace(/\D/g, "")));
    const [front = "", back] = sides.map((side) => side.trim().replace(/\s*\n\s*/g, "\n"));
    const schedule = random() < 0.4 ? `\n<!--SR:!2026-12-${10 + Math.floor(random() * 20)},4,250-->` : "";
    if (back === undefined) return clozeText(front, name === "mathematics.md");
    if (/\n\s*\n/.test(`${front}${back}`) || name === "mathematics.md") return `Q: ${front}\nA: ${back}`;
    if (`${front}${back}`.includes("\n") || front.includes("::")) return `${front}\n?\n${back}${schedule}`;
    return `${front} ${random() < 0.3 ? ":::" : "::"} ${back}${schedule}`;
  });
  // What is below a card of hashcards belongs to it, up to the next one or a line.
  const isLabelled = (part: string | undefined) => part === undefined || /^[QC]: /.test(part);
  const ended = parts.map((part, index) =>
    isLabelled(part) && !isLabelled(parts[index + 1]) ? `${part}\n---` : part,
  );
  return `${top}${ended.join("\n\n")}\n`;
}

/** A deletion is on one line. */
function clozeText(given: string, labelled: boolean): string {
  const text = labelled ? given.replace(/==([^=]*)==/g, "[$1]") : given;
  if (!text.includes("==") && /\[[^\]]+\]/.test(text))
    return `C: ${text.replace(/\[[^\]]*\]/g, (deleted) => deleted.replace(/\s+/g, " "))}`;
  return text.replace(/==[^=]*==/g, (deleted) => deleted.replace(/\s+/g, " "));
}
