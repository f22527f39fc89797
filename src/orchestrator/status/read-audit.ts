import type { AuditRecord } from "../../contract/audit-chain.ts";
import { listAudit } from "../store/audit-log.ts";
import type { HostContext } from "../host-context.ts";

/** Lines of the audit log in order, after the sequence number `after`. */
export const pageOfAudit = (
  host: Pick<HostContext, "db">,
  page: { readonly after: number; readonly limit: number },
): Promise<AuditRecord[]> => listAudit(host.db, page);
