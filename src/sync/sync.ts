import { accessSync, constants, existsSync } from "node:fs";
import { basename, join } from "node:path";
import { UsageError } from "../errors.ts";
import { fileProblem, systemCode } from "../files/errors.ts";
import { takeLock } from "../files/lock.ts";
import { privateFolder } from "../folder/layout.ts";
import { PrivateFolder, refuseLinks } from "../folder/private.ts";
import { FolderWriter } from "../folder/writer.ts";
import { headOf, makePlan, type SyncOptions } from "./make-plan.ts";
import { recoverFiles } from "./recover.ts";
import { problemWith } from "./refuse.ts";
import { type Question, Run, type RunOptions } from "./run.ts";
import { State } from "./state.ts";
import type { Agreed, SyncPlan, SyncResult } from "./types.ts";

/** What the system says of a folder or a disk that cannot be written. */
const unwritable: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM"]);
/** Lets Ctrl-C and the progress through now and then, in ms: most files are written without waiting for anything. */
const turnAfter = 20;
function turnsOfEvents(): () => Promise<void> {
  let last = 0;
  return async () => {
    if (performance.now() - last < turnAfter) return;
    await new Promise((resolve) => setImmediate(resolve));
    last = performance.now();
  };
}

/** What a sync would do, and why it would be refused. Changes nothing. */
export async function planSync(
  options: SyncOptions,
): Promise<{ plan: SyncPlan; refusal: UsageError | undefined }> {
  const { root, statePath } = options;
  const state = State.open(statePath, "show");
  const foreignRun = new PrivateFolder(root, ownerOf(statePath)).foreignRun();
  try {
    const { plan, counts } = await makePlan(state, { ...options, foreignRun });
    return { plan, refusal: problemWith(plan.changes, state, counts, options) };
  } finally {
    state.close();
  }
}

/** Names this machine and account among those that sync the folder. */
const ownerOf = (statePath: string) => basename(statePath).replace(/\.[^.]*$/, "");

/**
 * Makes a folder and an account the same (docs/design/sync.md).
 *
 * @throws UsageError for a plan that is refused; what a request failed with: then the next run goes on
 */
export async function syncFolders(options: SyncOptions): Promise<SyncResult> {
  const { root, step = turnsOfEvents() } = options;
  if (!existsSync(root)) throw new UsageError(`there is no folder ${root}`, { hint: "Is it mounted?" });
  try {
    accessSync(root, constants.W_OK);
    return await lockedSync({ ...options, step });
  } catch (cause) {
    if (!unwritable.has(systemCode(cause) ?? "")) throw cause;
    const { path = root } = cause as NodeJS.ErrnoException;
    throw new UsageError(`could not write to ${path}: ${fileProblem(cause)}`, {
      hint: "What was synced before that is whole; sync again when there is room or permission.",
      cause,
    });
  }
}

/** The lock is not held while a question is asked: what was changed meanwhile is found by reading both sides again. */
async function lockedSync(options: RunOptions): Promise<SyncResult> {
  const { root, signal, onWait } = options;
  refuseLinks(root, "tmp");
  for (let approved = await planApproved(options); ; ) {
    const held = await takeLock(`${root}/.deckhand/sync`, { signal, onWait });
    try {
      const ended = await oneSync(options, approved);
      if ("done" in ended) return ended;
      held.release();
      await ended.ask();
      approved = ended.plan;
    } finally {
      held.release();
    }
  }
}

/** The plan of a first sync is shown before there is anything of ours in the folder, which a "no" then leaves as it is. */
async function planApproved(options: RunOptions): Promise<SyncPlan | undefined> {
  if (!options.asks || existsSync(join(options.root, privateFolder))) return undefined;
  const { plan, refusal } = await planSync(options);
  if (refusal !== undefined) throw refusal;
  const ask = await options.approve(plan);
  await ask?.();
  return plan;
}

async function oneSync(options: RunOptions, approved: SyncPlan | undefined): Promise<SyncResult | Question> {
  const { root, statePath, step, now } = options;
  const state = State.open(statePath);
  const owner = ownerOf(statePath);
  const folder = new FolderWriter<Agreed>(root, {
    ...{ owner, step, begin: (changes) => state.begin(changes) },
    end: (numbers, record) =>
      state.transaction(() => {
        record();
        state.end(...numbers);
      }),
  });
  try {
    recoverFiles(state, folder, now());
    const ended = await new Run(state, folder, options).run(approved);
    if ("done" in ended) state.keepHead(headOf(root));
    return ended;
  } finally {
    if (!state.isPending) folder.private.endRun();
    state.close();
  }
}

export type { SyncOptions };
