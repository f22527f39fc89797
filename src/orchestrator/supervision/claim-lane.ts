import type { HostContext } from "../host-context.ts";
import type { BootSlot } from "./boot-queue.ts";

const inClaimLane = <T>({ lanes }: Pick<HostContext, "lanes">, engineId: string, work: () => Promise<T>): Promise<T> =>
  lanes.run(`claim ${engineId}`, work);

/**
 * Claims an engine and begins its boot, which waits for `ready`. Whoever ends the engine after the claim's commit finds the
 * boot, however late the answer of the claim is. Nobody waits for a slot in the lane: its holder may wait for the lane.
 */
export async function claimAndBegin<Claimed, Outcome>(
  host: Pick<HostContext, "lanes">,
  engineId: string,
  {
    slot,
    claim,
    begin,
  }: {
    readonly slot: BootSlot;
    readonly claim: () => Promise<Claimed | null>;
    readonly begin: (claimed: Claimed, ready: Promise<void>) => Promise<Outcome>;
  },
): Promise<Outcome | null> {
  const ready = Promise.withResolvers<void>();
  const begun = await slot.awaitDatabase(
    inClaimLane(host, engineId, async () => {
      const claimed = await claim();
      // In an object: the lane does not wait for it.
      return claimed === null ? null : { outcome: begin(claimed, ready.promise) };
    }),
  );
  ready.resolve();
  return begun === null ? null : begun.outcome;
}

/** Resolves when the answer of a claim in flight has come, and its boot has begun. */
export const claimSettled = (host: Pick<HostContext, "lanes">, engineId: string): Promise<void> =>
  inClaimLane(host, engineId, () => Promise.resolve());
