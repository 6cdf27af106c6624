/** The part of transit-js 0.8.874 that the program and its benchmarks use; the package brings no types. */
declare module "transit-js" {
  interface MapBuilder<Map> {
    init(node: unknown): Map;
    /** Gives the map back. */
    add(map: Map, key: unknown, value: unknown, node: unknown): Map;
    finalize(map: Map, node: unknown): unknown;
  }
  interface ArrayBuilder<List> {
    init(node: unknown): List;
    add(list: List, item: unknown, node: unknown): List;
    finalize(list: List, node: unknown): unknown;
  }
  interface ReaderOptions {
    /** By tag; "_", "s", "?", "i", "d", "b", "'", "array" and "map" cannot be overridden. */
    handlers?: Readonly<Record<string, unknown>>;
    /** For unknown tags of one character in front of a string. */
    defaultHandler?(tag: string, value: string): unknown;
    mapBuilder?: MapBuilder<unknown>;
    arrayBuilder?: ArrayBuilder<unknown>;
  }
  interface WriteHandler {
    tag(value: unknown): string;
    rep(value: unknown): unknown;
    stringRep(value: unknown): string | null;
    getVerboseHandler?(): WriteHandler | null;
  }
  interface ForEach {
    forEach(visit: (value: unknown, key: unknown) => void): void;
  }
  interface TaggedValue {
    readonly tag: string;
    readonly rep: unknown;
  }
  const transit: {
    reader(type: "json", options?: object): { read(text: string): unknown };
    writer(type: "json" | "json-verbose", options?: object): { write(value: unknown): string };
    decoder(options: ReaderOptions): { decode(node: unknown, cache: unknown): unknown };
    readCache(): unknown;
    makeWriteHandler(handler: WriteHandler): WriteHandler;
    keyword(name: string): unknown;
    /** Keys and values in turns. */
    map(entries: readonly unknown[]): unknown;
    tagged(tag: string, rep: unknown): TaggedValue;
    isTaggedValue(value: unknown): value is TaggedValue;
    isKeyword(value: unknown): value is { name(): string };
    isMap(value: unknown): value is ForEach;
    isSet(value: unknown): value is ForEach;
  };
  export default transit;
}
