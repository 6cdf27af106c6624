import { homepage, version as packageVersion } from "../package.json";

/** The version of this program, fixed when it is built. */
export const version: string = packageVersion;

/** Where the guides are. package.json is the only place that has it. */
export const documentation: string = homepage;
