import { version as packageVersion } from "../package.json";

/** The version of this program, fixed when it is built. */
export const version: string = packageVersion;
