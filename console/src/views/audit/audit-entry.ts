/** The parsed entry of a line of the audit log. A tampered line may contain anything. */
export interface AuditEntry {
  readonly at: string | null;
  /** The person, or `admin` or `product`. */
  readonly actor: string;
  readonly action: string;
  readonly product_id: string | null;
  readonly engine_id: string | null;
  readonly detail: string;
}

export function parseEntry(entry: string): AuditEntry {
  const fields = parsed(entry);
  const text = (name: string): string | null => {
    const value = fields[name];
    return typeof value === "string" ? value : null;
  };
  const { detail } = fields;
  const at = text("at");
  return {
    at: at !== null && Number.isFinite(Date.parse(at)) ? at : null,
    actor: text("person") ?? text("actor") ?? "",
    action: text("action") ?? "",
    product_id: text("product_id"),
    engine_id: text("engine_id"),
    detail: detail === undefined ? "" : typeof detail === "string" ? detail : JSON.stringify(detail),
  };
}

function parsed(entry: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(entry);
    if (typeof fields === "object" && fields !== null) return fields as Record<string, unknown>;
  } catch {
    // Not JSON: shown as it is.
  }
  return { detail: entry };
}
