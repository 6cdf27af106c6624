import type { Loaded, World } from "../ports.ts";

/** Fetches the cards that come up next, one after the other, so that the user waits for none. */

export interface LoaderSettings {
  readonly load: World["load"];
  /** Ids of the cards wanted now, the most urgent first. */
  wanted(): readonly string[];
  loaded(cardId: string, loaded: Loaded): void;
  /** How long to wait for an answer before the card is taken as unavailable for now. */
  readonly patience?: number;
  /** The same while the service does not answer: nobody is to wait so long for each card of a session. */
  readonly haste?: number;
  /** How long to wait before a card is asked for again. */
  readonly pause?: number;
}

export interface Loader {
  /** To be called whenever the wanted cards may have changed. */
  poke(): void;
  close(): void;
}

export function createLoader(settings: LoaderSettings): Loader {
  const { load, wanted, loaded, patience = 10_000, haste = 2000, pause = 3000 } = settings;
  const done = new Set<string>();
  /** Cards that could not be had, until they are asked for again. */
  const resting = new Map<string, NodeJS.Timeout>();
  /** Whether the last card that was asked for did not come. */
  let away = false;
  let busy = false;
  let closed = false;

  const poke = () => {
    if (busy || closed) return;
    const next = wanted().find((id) => !done.has(id) && !resting.has(id));
    if (next === undefined) return;
    busy = true;
    void fetch(next).then(() => {
      busy = false;
      poke();
    });
  };

  const fetch = async (cardId: string) => {
    const loading = load(cardId);
    const inTime = await withPatience(loading, away ? haste : patience);
    settle(cardId, inTime ?? { kind: "later", reason: "no answer yet" });
    if (inTime !== undefined) return;
    void loading.then((outcome) => {
      if (outcome.kind === "later") return;
      settle(cardId, outcome);
      poke();
    });
  };

  const settle = (cardId: string, outcome: Loaded) => {
    if (closed || done.has(cardId)) return;
    away = outcome.kind === "later";
    clearTimeout(resting.get(cardId));
    resting.delete(cardId);
    if (outcome.kind === "later") {
      const wake = setTimeout(() => {
        resting.delete(cardId);
        poke();
      }, pause);
      resting.set(cardId, wake);
    } else done.add(cardId);
    loaded(cardId, outcome);
  };

  return {
    poke,
    close() {
      closed = true;
      for (const timer of resting.values()) clearTimeout(timer);
    },
  };
}

/** What comes in time; undefined if it does not. */
async function withPatience<T>(loading: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
  }
}
