import type { Context, Io } from "../../context/context.ts";
import type { StatusLine } from "../../output/status.ts";

/**
 * The context with what it says kept for the status line of the screen: nothing is written to the terminal, and questions
 * are asked as ever, by what has the terminal then.
 */
export function quietly(context: Context): { readonly context: Context; said(): string[] } {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const task = { advance() {}, set() {}, end() {} };
  const line: StatusLine = { begin: () => task, above: say, clear() {} };
  const own: Partial<Io> = {
    ...{ say, note: say, warn: say },
    report: ({ message }) => say(message),
    write: async () => {},
    print: async () => {},
    holdMessages: () => () => {},
    status: async () => line,
  };
  const io = new Proxy(context.io, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { context: { ...context, io }, said: () => said.splice(0) };
}
