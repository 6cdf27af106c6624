/**
 * Reads the wire format of protocol buffers. Packages use it for three messages of a few fields; a library with generated
 * code would be larger than the import.
 *
 * @returns the values of a message by field number, in their order: numbers for varints, bytes for everything else
 * @throws Error for bytes that are not a message
 */
export function readMessage(bytes: Uint8Array): ReadonlyMap<number, readonly (number | Uint8Array)[]> {
  const fields = new Map<number, (number | Uint8Array)[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined || factor > 2 ** 63) throw new Error("a number is cut off");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new Error("a value is cut off");
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = varint();
    const [number, type] = [Math.floor(key / 8), key % 8];
    let value: number | Uint8Array;
    if (type === 0) value = varint();
    else if (type === 1) value = take(8);
    else if (type === 2) value = take(varint());
    else if (type === 5) value = take(4);
    else throw new Error(`there is no wire type ${type}`);
    const known = fields.get(number);
    if (known === undefined) fields.set(number, [value]);
    else known.push(value);
  }
  return fields;
}

/** The text of a field; "" if it is absent, as in proto3. */
export function textField(message: ReturnType<typeof readMessage>, number: number): string {
  const value = message.get(number)?.at(-1);
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : "";
}

export function numberField(message: ReturnType<typeof readMessage>, number: number): number | undefined {
  const value = message.get(number)?.at(-1);
  return typeof value === "number" ? value : undefined;
}

export const messages = (message: ReturnType<typeof readMessage>, number: number): Uint8Array[] =>
  (message.get(number) ?? []).filter((value) => value instanceof Uint8Array);
