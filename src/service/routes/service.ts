import { version } from "../../../package.json";
import type { Extension, ServiceInfo } from "../../schema/index.ts";
import type { Handler } from "../service.ts";

const extensions: readonly Extension[] = ["reviews", "attachment-list", "attachment-download"];

/** What this is: a client finds out from here whether reviews can be recorded (service.md, What it adds). */
const describe: Handler = async () => ({
  document: { service: "deckhand", version, extensions } satisfies ServiceInfo,
});

export const service = { describe };
