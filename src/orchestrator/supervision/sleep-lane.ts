import type { HostContext } from "../host-context.ts";

/** Serializes the changes of an engine's sleep and of the owner of its socket, except its launch. */
export const inSleepLane = <T>(
  { lanes }: Pick<HostContext, "lanes">,
  engineId: string,
  work: () => Promise<T>,
): Promise<T> => lanes.run(`sleep ${engineId}`, work);

/** Resolves when a sleep in progress is settled. */
export const sleepSettled = (host: Pick<HostContext, "lanes">, engineId: string): Promise<void> =>
  inSleepLane(host, engineId, () => Promise.resolve());
