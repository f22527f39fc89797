import type { HostContext } from "../host-context.ts";
import { newId } from "../../shared/ids.ts";
import { withinRequest } from "../../shared/request-context.ts";
import { NO_SPAN } from "../../shared/tracing/span.ts";
import { type Session, callerOf } from "../status/sessions.ts";
import { appendAudit } from "../store/audit-log.ts";

const MAX_PATH = 200;

/** Writes a console session's call of an engine to the audit log, before the call is made. */
export async function recordEngineCall(
  { db }: Pick<HostContext, "db">,
  {
    session,
    engineId,
    method,
    path,
  }: { readonly session: Session; readonly engineId: string; readonly method: string; readonly path: string },
): Promise<void> {
  const detail = { method, path: path.slice(0, MAX_PATH) };
  await withinRequest({ requestId: newId("req"), actor: "admin", ...callerOf(session), span: NO_SPAN }, () =>
    db.transaction().execute((trx) => appendAudit(trx, { action: "engine.called", engine_id: engineId, detail })),
  );
}
