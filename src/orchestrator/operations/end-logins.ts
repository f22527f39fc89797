import { listConnections, takeConnection } from "../store/connections.ts";
import type { ConnectionRow } from "../store/login-tables.ts";
import type { EngineRow } from "../store/tables.ts";
import { type RevokingHost, remainsOf, revokeLater } from "./revoke-login.ts";
import { type SealedTokens, openTokens } from "./sealed-tokens.ts";

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

/** Null without tokens, and where no secret key of this deployment opens them: an engine can be destroyed then too. */
function readableTokens(host: RevokingHost, { engine_id, server, tokens }: ConnectionRow): SealedTokens | null {
  if (tokens === null) return null;
  try {
    return openTokens(host, { engineId: engine_id, server }, tokens);
  } catch (error) {
    host.logger.warn({ err: error, engine_id, server }, "failed to open the tokens of a deleted login");
    return null;
  }
}
