import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { appendAudit } from "../store/audit-log.ts";
import { deleteSession } from "../store/console-sessions.ts";

/** Ends a session. Its next call is refused, and its streams end within seconds. */
export async function endSession(host: Pick<HostContext, "db" | "sessions">, id: string): Promise<void> {
  const found = await host.db.transaction().execute(async (trx) => {
    const deleted = await deleteSession(trx, id);
    if (deleted) await appendAudit(trx, { action: "session.ended", detail: { session: id } });
    return deleted;
  });
  host.sessions.ended(id);
  if (!found) throw new ApiError("SESSION_NOT_FOUND", "no open session has this id");
}
