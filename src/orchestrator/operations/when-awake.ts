import { delay } from "../../shared/clock.ts";
import type { HostContext } from "../host-context.ts";
import type { EngineAddresses } from "../status/engine-addresses.ts";
import { inSleepLane } from "../supervision/sleep-lane.ts";

/** The wait for an engine that runs and did not answer, or for the database. No state changes when they answer again. */
const RETRY_MS = 1000;
/** The longest wait for a change of state. One is not reported when the database's answer to its write was lost. */
const LOOK_MS = 30_000;

interface WhenAwakeOptions<T> {
  readonly engineId: string;
  /** Ends the wait, such as when the caller closes its connection. */
  readonly signal: AbortSignal;
  /** Calls the engine, which does not fall asleep meanwhile. `asleep`: it did not answer, and the wait goes on. */
  readonly call: (url: string) => Promise<T | "asleep">;
}

/**
 * Calls an engine once it runs, without waking it. Null when it is stopped or destroyed, and when the signal or the stop of
 * the daemon ends the wait. Tested in test/end-to-end/idle-followers.test.ts too.
 */
export async function whenAwake<T>(
  host: Pick<HostContext, "lanes" | "live" | "states" | "stopping">,
  addresses: Pick<EngineAddresses, "find">,
  { engineId, signal, call }: WhenAwakeOptions<T>,
): Promise<T | null> {
  const ended = AbortSignal.any([signal, host.stopping]);
  let changed = new AbortController();
  const unsubscribe = host.states.onChange(engineId, () => changed.abort());
  try {
    while (!ended.aborted) {
      changed = new AbortController();
      const outcome = await callIfAwake(host, { engineId, call });
      if (outcome !== "asleep") return outcome;
      const kind = await kindOf(addresses, engineId);
      if (kind === "unknown" || kind === "not_running") return null;
      const isSilent = kind === "unavailable" || host.live.get(engineId) !== undefined;
      await delay(isSilent ? RETRY_MS : LOOK_MS, AbortSignal.any([ended, changed.signal]));
    }
    return null;
  } finally {
    unsubscribe();
  }
}

/** `unavailable`: the database cannot tell. */
const kindOf = (addresses: Pick<EngineAddresses, "find">, engineId: string) =>
  addresses.find(engineId).then(
    ({ kind }) => kind,
    () => "unavailable" as const,
  );

/** In the sleep lane: a connection to an engine that falls asleep would wake it. */
const callIfAwake = <T>(
  host: Pick<HostContext, "lanes" | "live">,
  { engineId, call }: Pick<WhenAwakeOptions<T>, "engineId" | "call">,
): Promise<T | "asleep"> =>
  inSleepLane(host, engineId, async () => {
    const live = host.live.get(engineId);
    return live === undefined || live.isStopping ? "asleep" : call(live.url);
  });
