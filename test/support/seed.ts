import fc from "fast-check";
import { seed } from "./soak.ts";

/** Properties are checked with the same values in each run; the soak checks them with others (SEED=<number> repeats a run). */
fc.configureGlobal({ seed });
