import { hasSnapshot } from "../engine-snapshots.ts";
import type { ProcessOrder } from "../process-order.ts";
import type { StartParts, StartedProcess } from "../start-process.ts";
import type { SparePool } from "./spare-pool.ts";
import type { ClaimOutcome } from "../../../../contract/orchestrator/spares-report.ts";

interface Claimed {
  readonly started: StartedProcess | null;
  /** How the claim went. Null where no spares are kept. */
  readonly spare: ClaimOutcome | null;
}

/**
 * Turns a spare into the engine of this order. Without a process when that is impossible and one must be started: then
 * nothing has happened. One synchronous step: a daemon that is killed in it leaves an engine that has the whole claim, or a spare
 * that ends by itself.
 */
export function claimSpare(
  pool: SparePool | undefined,
  { launch, uid }: ProcessOrder,
  { options, listener, log, owner, cgroup, launchFile, text }: StartParts & { readonly text: string },
): Claimed {
  if (pool === undefined) return { started: null, spare: null };
  const without = (outcome: ClaimOutcome): Claimed => ({ started: null, spare: pool.count(outcome) });
  // A spare needs a held socket and a snapshot.
  if (listener === null || !hasSnapshot(options)) return without("unfit");
  const spare = pool.take({ nodeOptions: options });
  if (spare === null) return without("none_left");
  const claim = { launch_file: launchFile, owner: uid === null ? null : owner, folder: launch.data_dir, launch: text };
  try {
    // A later daemon finds the process in the cgroup, even before it has read its claim.
    cgroup?.enter(spare.identity.pid);
    spare.claim(claim, { log, listener });
  } catch {
    // The spare had exited, or the message is too long.
    spare.end();
    return without("unfit");
  }
  return { started: { identity: spare.identity, ended: spare.exited }, spare: pool.count("claimed") };
}
