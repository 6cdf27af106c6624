import fc from "fast-check";
import { seed } from "./soak.ts";

/** Properties are checked with the same values in each run; the soak checks them with others (SEED=<number> repeats a run). */
fc.configureGlobal({ seed });

// A program of one file is started as it is, not by Node: `env` becomes it, so that signals and terminals reach it.
if (process.env["DECKHAND_TEST_PROGRAM"] !== undefined) process.execPath = "/usr/bin/env";
