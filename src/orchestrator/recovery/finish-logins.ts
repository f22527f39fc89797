import { delay } from "../../shared/clock.ts";
import { inBackground } from "../../shared/background.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { refreshOnce } from "../operations/refresh-login.ts";
import { tryRevocation } from "../operations/revoke-login.ts";
import { tellEngine } from "../operations/tell-login.ts";
import { cutRefreshes } from "../store/connections.ts";
import { untoldLogins } from "../store/logins.ts";
import { dropOldRevocations, takeDueRevocations } from "../store/revocations.ts";

const INTERVAL_MS = 5000;
/** A refresh that runs takes up to five seconds. */
const CUT_MS = 8000;

/**
 * Finishes what an earlier daemon, or a lost database, has cut: refreshes at once, while the authorization server may still
 * accept the refresh token that was used, logins of which an engine has not heard, and revocations of those that were
 * deleted. Ends with the daemon.
 */
export async function finishLogins(host: EngineHost & Service): Promise<void> {
  const { hostId } = host.settings.portRange;
  // What is there at the start was cut: this daemon leads, and has begun none.
  let ageMs = 0;
  do {
    try {
      for (const row of await cutRefreshes(host.db, hostId, ageMs)) {
        const key = { engineId: row.engine_id, server: row.server };
        inBackground("refresh that was cut", refreshOnce(host, key, row.version));
      }
      for (const row of await takeDueRevocations(host.db, hostId))
        inBackground("revocation of a login", tryRevocation(host, row), { engine_id: row.engine_id });
      for (const row of await dropOldRevocations(host.db, hostId))
        host.logger.error(row, "gave up revoking the tokens of a deleted login");
      for (const row of await untoldLogins(host.db, hostId)) inBackground("end of a login", tellEngine(host, row));
    } catch (error) {
      host.logger.warn({ err: error }, "failed to finish logins");
    }
    ageMs = CUT_MS;
  } while (await delay(INTERVAL_MS, host.stopping));
}
