import type { Loaded, World } from "./world.ts";

/** Fetches the cards that come up next, one after the other, so that the user waits for none. */

export interface LoaderSettings {
  readonly load: World["load"];
  /** Ids of the cards wanted now, the most urgent first. */
  wanted(): readonly string[];
  loaded(cardId: string, loaded: Loaded): void;
  /** How long to wait for an answer before the card is taken as unavailable for now. */
  readonly patience?: number;
  /** How long to wait before a card is asked for again. */
  readonly pause?: number;
}

export interface Loader {
  /** To be called whenever the wanted cards may have changed. */
  poke(): void;
  close(): void;
}

export function createLoader(settings: LoaderSettings): Loader {
  const { load, wanted, loaded, patience = 10_000, pause = 3000 } = settings;
  const done = new Set<string>();
  /** Cards that could not be had, until they are asked for again. */
  const resting = new Map<string, NodeJS.Timeout>();
  let busy = false;
  let closed = false;

  const poke = () => {
    if (busy || closed) return;
    const next = wanted().find((id) => !done.has(id) && !resting.has(id));
    if (next === undefined) return;
    busy = true;
    void withPatience(load(next), patience).then((outcome) => {
      busy = false;
      settle(next, outcome);
      poke();
    });
  };

  const settle = (cardId: string, outcome: Loaded) => {
    if (closed) return;
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

async function withPatience(loading: Promise<Loaded>, ms: number): Promise<Loaded> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Loaded>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "later", reason: "no answer yet" }), ms);
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
  }
}
