import { confineTo, prepareConfinement } from "../isolation/confine.ts";
import { run } from "../main.ts";
import { openEngine } from "../app/open-engine.ts";
import { collectYoungGarbage } from "../../shared/collect-garbage.ts";
import { landlockAbi } from "../../sandbox/rights.ts";
import { awaitClaim } from "./await-claim.ts";
import { rehearse } from "./rehearse.ts";
import { threadCount, withoutThreadPool } from "./without-thread-pool.ts";

/**
 * Runs a process without an owner: it rehearses an engine's start, waits until the daemon claims it, and is that engine
 * from then on. It ends when the daemon is gone.
 */
export async function runSpare(path: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const threads = threadCount();
  await withoutThreadPool(() => rehearse(path, environment));
  // A thread of the pool would stay outside the confinement, which applies to the calling thread and later ones.
  if (threadCount() !== threads) throw new Error("the rehearsal has started a thread");
  // Otherwise V8 would collect the garbage of the rehearsal during the engine's start.
  collectYoungGarbage();
  const rules = landlockAbi().problem === null ? prepareConfinement() : null;
  const text = awaitClaim(path);
  if (text === null) return;
  const launch = confineTo(text, environment, rules);
  if (launch !== null) await run(launch.text, environment, openAtOnce);
}

/** Nothing else waits for this thread yet, and the thread pool has no thread yet. */
const openAtOnce: typeof openEngine = (...parts) => withoutThreadPool(() => openEngine(...parts));
