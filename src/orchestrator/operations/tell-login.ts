import type { EngineHost } from "../host-context.ts";
import { tellLogin } from "../engine-calls/engine-logins.ts";
import { isAsleep } from "../rules/engine-lifecycle.ts";
import { findEngineById } from "../store/engines.ts";
import type { LoginRow } from "../store/login-tables.ts";
import { findLogin, markTold } from "../store/logins.ts";
import { inSleepLane } from "../supervision/sleep-lane.ts";

/** Until somebody starts it, no turn of it waits. */
const RESTING: ReadonlySet<string> = new Set(["stopped", "failed", "stop_failed", "destroying"]);

/**
 * Tells an engine how a login ended, so that its turn goes on; a sleeping engine is woken for it. One that is stopped finds
 * out when its turn asks again. Whatever fails is repeated by `recovery/finish-logins.ts`.
 */
export async function tellEngine(host: EngineHost, { hash }: Pick<LoginRow, "hash">): Promise<void> {
  const row = await findLogin(host.db, hash);
  if (row === null || row.outcome === null || row.told_at !== null) return;
  const engine = await findEngineById(host.db, row.engine_id);
  if (engine === null) return;
  if (isAsleep(engine) && row.turn_id !== null) await host.supervisor.wake(engine.id, "call");
  const { server, outcome } = row;
  const isTold = await inSleepLane(host, engine.id, async () => {
    const live = host.live.get(engine.id);
    if (live === undefined || live.isStopping) return false;
    return tellLogin({ url: live.url, token: live.controlToken }, { server, outcome });
  });
  const asksItself = RESTING.has(engine.state) || (isAsleep(engine) && row.turn_id === null);
  if (isTold || asksItself) await markTold(host.db, row.hash);
}
