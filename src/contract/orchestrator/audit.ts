import { type RecordOf, field, record, page } from "../record.ts";
import { count, text } from "../response-schemas.ts";

const auditRecord = record("AuditLine", "One line of the audit log, which is a hash chain.", {
  seq: field(count, "1, 2, 3 … without a gap.", 12),
  entry: field(
    text,
    "JSON text with `at`, `actor`, `request_id`, `action` and what was changed. Its exact characters are hashed.",
    '{"at":"2026-11-01T12:00:00.000Z","actor":"admin","request_id":"r1","action":"product.deleted"}',
  ),
  prev_hash: field(text, "The `hash` of the line before; 64 zeros for the first."),
  hash: field(text, "SHA-256 in hex over `prev_hash`, `seq` and `entry`, with a line feed between them."),
});
export type AuditRecord = RecordOf<typeof auditRecord>;

export const AUDIT_RESPONSES = {
  AuditPage: page(auditRecord, "Lines of the audit log in their order."),
};
