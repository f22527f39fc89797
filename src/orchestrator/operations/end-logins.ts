import { listConnections, takeConnection } from "../store/connections.ts";
import type { EngineRow } from "../store/tables.ts";
import { type RevokingHost, readableTokens, remainsOf, revokeLater } from "./revoke-login.ts";

/**
 * Deletes the logins of an engine that is being destroyed. Their tokens are revoked afterwards by
 * `recovery/finish-logins.ts`: no authorization server can delay a destroy.
 */
export async function endLogins(host: RevokingHost, { id }: Pick<EngineRow, "id">): Promise<void> {
  for (const row of await listConnections(host.db, id)) {
    const remains = await remainsOf(host, row, readableTokens(host, row));
    await host.db.transaction().execute(async (trx) => {
      const taken = await takeConnection(trx, { engineId: id, server: row.server });
      const tokens = taken === null ? null : readableTokens(host, taken);
      if (taken !== null && tokens !== null) await revokeLater(host, trx, taken, { tokens, remains });
    });
  }
}
