import type { AuditRecord } from "../../src/contract/audit-chain.ts";
import { readAudit } from "../audit-trail.ts";
import { wholeNumber } from "../option-values.ts";
import { safe, table } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const auditListCommand: CommandMaker = (audit, settings) => {
  audit
    .command("list")
    .description("List the last lines of the audit log: who changed what")
    .option("-n, --tail <lines>", "how many", wholeNumber, 50)
    .addHelpText("after", example("orchctl audit list -n 20"))
    .action(async ({ tail }: { tail: number }, command) => {
      const { client, print } = sessionOf(command, settings);
      const data: AuditRecord[] = [];
      for await (const line of readAudit(client)) {
        data.push(line);
        if (data.length > tail) data.shift();
      }
      print.document({ data, next_cursor: null }, () =>
        table(["SEQ", "TIME", "ACTOR", "ACTION", "PRODUCT", "ENGINE", "DETAIL"], data.map(row)),
      );
    });
};

function row({ seq, entry }: AuditRecord): readonly (string | null)[] {
  const { at, actor, action, product_id, engine_id, detail } = fieldsOf(entry);
  const id = (value: unknown) => (typeof value === "string" ? value : null);
  return [String(seq), id(at), id(actor), id(action), id(product_id), id(engine_id), safe(detail) || null];
}

/** A tampered line may hold anything and is shown as it is. */
function fieldsOf(entry: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(entry);
    if (typeof fields === "object" && fields !== null) return fields as Record<string, unknown>;
  } catch {
    // Not JSON: shown as `detail` below.
  }
  return { detail: entry };
}
