/**
 * The wire kinds: what a value of the Flashcard Service is, declared once. From a kind come the TypeScript types, both
 * codecs, the checks before sending and on receipt, the 422 messages of the local service and the OpenAPI document.
 *
 * In the program every value is plain data, whichever codec carried it: keywords are strings, sets are arrays without
 * duplicates, instants are ISO 8601 strings in UTC with milliseconds, records and maps of unknown kind are null-prototype
 * objects. Documents may have the usual prototype: look unknown names up with `Object.hasOwn`.
 */

interface Common {
  /** null may be sent: it clears the value. On receipt null is understood everywhere. */
  readonly nullable?: true;
  /** One sentence for help and the OpenAPI document. */
  readonly about?: string;
  /** An answer without it is of no use; as a keyword it names what later requests ask for. */
  readonly needed?: true;
  /** Whether a table without its column would mislead: others are left out first. */
  readonly essential?: true;
}

export interface StringKind extends Common {
  readonly kind: "string";
  /** Whether a value of only white space is refused when sent. */
  readonly notBlank?: true;
  /** Whether a leading `#` is ignored, so that `#` alone is blank. */
  readonly hash?: true;
  /** Whether "" is refused when sent. */
  readonly notEmpty?: true;
  /** Lengths count Unicode code points. */
  readonly max?: number;
}
/** An id or an enumerated value: `~:x` in transit, `"x"` in JSON. */
export interface KeywordKind extends Common {
  readonly kind: "keyword";
  readonly values?: readonly string[];
}
interface BooleanKind extends Common {
  readonly kind: "boolean";
}
export interface NumberKind extends Common {
  readonly kind: "number" | "integer";
  readonly min?: number;
  readonly max?: number;
}
/** JSON `{"date": "<ISO>"}`; transit `{"~#dt": <ms>}`, or `"~t<ms>"` where `transit` says so. */
export interface InstantKind extends Common {
  readonly kind: "instant";
  readonly transit?: "~t";
  /** It means the whole day of the user that it is in (docs/design/review.md, Days). */
  readonly day?: true;
  /** The answer is not documented to have it: anything else stays as it came. */
  readonly undocumented?: true;
}
/** An ISO 8601 string (`Date#toJSON`) in both codecs; any form of an instant is accepted when read. */
interface TimestampKind extends Common {
  readonly kind: "timestamp";
}
/** Not documented: passed on as it is. */
interface UnknownKind extends Common {
  readonly kind: "unknown";
}
interface ArrayKind<Of extends Kind = Kind> extends Common {
  readonly kind: "array";
  readonly of: Of;
  /** Whether its items are checked one by one by the caller: a wrong one does not make the list wrong. */
  readonly each?: true;
}
/** `{"~#set": […]}` in transit, an array in JSON. */
interface SetKind<Of extends Kind = Kind> extends Common {
  readonly kind: "set";
  readonly of: Of;
}
/** A map whose keys are keywords (ids). With `keyed`, each entry has its key again as `id`. */
export interface RecordKind<Of extends Kind = Kind> extends Common {
  readonly kind: "record";
  readonly of: Of;
  readonly keyed?: true;
}
export interface ObjectKind<Fields extends FieldTable = FieldTable, Required extends string = string>
  extends Common {
  readonly kind: "object";
  readonly fields: Fields;
  /** The fields that must be there when the object is sent. */
  readonly required: readonly Required[];
  /** Keys that transit writes under another name: `manual-tags` is written as `tags`. */
  readonly transitKeys?: Readonly<Record<string, string>>;
}

export type Kind =
  | StringKind
  | KeywordKind
  | BooleanKind
  | NumberKind
  | InstantKind
  | TimestampKind
  | UnknownKind
  | ArrayKind
  | SetKind
  | RecordKind
  | ObjectKind;

export type FieldTable = { readonly [name: string]: Kind };

type Scalar<K extends Kind> = K extends { kind: "keyword"; values: readonly (infer V)[] }
  ? V
  : K extends { kind: "string" | "keyword" | "instant" | "timestamp" }
    ? string
    : K extends { kind: "boolean" }
      ? boolean
      : K extends { kind: "number" | "integer" }
        ? number
        : unknown;

/** The type of a value to send: required fields are there, null only where it clears the value. */
export type Sent<K extends Kind> = (
  K extends ObjectKind<infer F, infer R>
    ? { [N in keyof F & R]: Sent<F[N]> } & { [N in Exclude<keyof F, R>]?: Sent<F[N]> | undefined }
    : K extends ArrayKind<infer Of> | SetKind<infer Of>
      ? readonly Sent<Of>[]
      : K extends RecordKind<infer Of>
        ? { readonly [id: string]: Sent<Of> }
        : Scalar<K>
) extends infer T
  ? K extends { nullable: true }
    ? T | null
    : T
  : never;

/**
 * The type of a value received: any field that is not needed may be missing or null, and enumerated values may be unknown
 * ones. Unknown fields are kept on the value though the type does not show them.
 */
export type Received<K extends Kind> =
  K extends ObjectKind<infer F, string>
    ? { readonly [N in keyof F as F[N] extends Needed ? N : never]: Received<F[N]> } & {
        readonly [N in keyof F as F[N] extends Needed ? never : N]?: Received<F[N]> | null | undefined;
      }
    : K extends ArrayKind<infer Of> | SetKind<infer Of>
      ? readonly Received<Of>[]
      : K extends RecordKind<infer Of>
        ? { readonly [id: string]: Received<Of> }
        : K extends { kind: "keyword" }
          ? string
          : Scalar<K>;

type Needed = { readonly needed: true };

type OptionsOf<K extends Kind> = Omit<K, "kind" | "of">;
const scalar =
  <K extends Kind>(kind: K["kind"]) =>
  <const O extends OptionsOf<K>>(options: O = {} as O) =>
    ({ kind, ...options }) as { readonly kind: K["kind"] } & O;
const container =
  <N extends "array" | "set" | "record", Options>(kind: N) =>
  <const K extends Kind, const O extends Options>(of: K, options: O = {} as O) =>
    ({ kind, of, ...options }) as { readonly kind: N; readonly of: K } & O;

export const string = scalar<StringKind>("string");
export const keyword = scalar<KeywordKind>("keyword");
export const boolean = scalar<BooleanKind>("boolean");
export const number = scalar<NumberKind & { kind: "number" }>("number");
export const integer = scalar<NumberKind & { kind: "integer" }>("integer");
export const instant = scalar<InstantKind>("instant");
export const timestamp = scalar<TimestampKind>("timestamp");
export const unknown = scalar<UnknownKind>("unknown");
export const array = container<"array", OptionsOf<ArrayKind>>("array");
export const set = container<"set", OptionsOf<SetKind>>("set");
export const record = container<"record", OptionsOf<RecordKind>>("record");

/** An object kind; `required` names the fields that must be there when it is sent. */
export function object<const F extends FieldTable, const R extends keyof F & string = never>(
  fields: F,
  required: readonly R[] = [],
  options: Pick<ObjectKind, "transitKeys" | "about"> = {},
): ObjectKind<F, R> {
  return { kind: "object", fields, required, ...options };
}

const chosenId = keyword({
  about: "Chosen by the client, 8 letters and digits; by the service if absent (extension ids).",
});

/** What is created, with the id to create it under. */
export const creation = <const F extends FieldTable, const R extends string>(
  of: ObjectKind<F, R>,
): ObjectKind<F & { readonly id: typeof chosenId }, R> => ({ ...of, fields: { ...of.fields, id: chosenId } });
