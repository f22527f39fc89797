import type { HostContext } from "../host-context.ts";

const inClaimLane = <T>({ lanes }: Pick<HostContext, "lanes">, engineId: string, work: () => Promise<T>): Promise<T> =>
  lanes.run(`claim ${engineId}`, work);

/**
 * Claims an engine and begins what follows, such as its boot. Whoever ends the engine after the claim's commit finds the
 * boot, however late the answer of the claim is.
 */
export async function claimAndBegin<Claimed, Outcome>(
  host: Pick<HostContext, "lanes">,
  engineId: string,
  {
    claim,
    begin,
  }: {
    readonly claim: () => Promise<Claimed | null>;
    readonly begin: (claimed: Claimed) => Promise<Outcome>;
  },
): Promise<Outcome | null> {
  const begun = await inClaimLane(host, engineId, async () => {
    const claimed = await claim();
    // In an object: the lane does not wait for it.
    return claimed === null ? null : { outcome: begin(claimed) };
  });
  return begun === null ? null : begun.outcome;
}

/** Resolves when the answer of a claim in flight has come, and its boot has begun. */
export const claimSettled = (host: Pick<HostContext, "lanes">, engineId: string): Promise<void> =>
  inClaimLane(host, engineId, () => Promise.resolve());
