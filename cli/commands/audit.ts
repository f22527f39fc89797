import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { InvalidArgumentError } from "commander";
import type { AuditRecord } from "../../src/contract/orchestrator/audit.ts";
import {
  AUDIT_HEADS_FILE,
  type AuditHead,
  formatHead,
  parseHead,
  parseHeads,
} from "../../src/contract/orchestrator/audit-chain.ts";
import { errorCode, hasCode } from "../../src/shared/error-code.ts";
import { readAudit, verifyAudit } from "../audit-trail.ts";
import { isLocal } from "../checks/check-locally.ts";
import { wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { table } from "../table.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { CliFailure } from "../exit-codes.ts";

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
      print.document({ data, next_cursor: null }, (columns) =>
        table(["SEQ", "TIME", "ACTOR", "ACTION", "DETAIL", "PRODUCT", "ENGINE"], data.map(row), columns),
      );
    });
};

function row({ seq, entry }: AuditRecord): readonly (string | null)[] {
  const { at, actor, session, person, action, product_id, engine_id, detail } = fieldsOf(entry);
  const id = (value: unknown) => (typeof value === "string" ? value : null);
  const who = [id(actor), id(person), id(session)].filter((part) => part !== null).join(" ");
  return [String(seq), id(at), who, id(action), safe(detail) || null, id(product_id), id(engine_id)];
}

/** A tampered line may have any content, so it is shown unchanged. */
function fieldsOf(entry: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(entry);
    if (typeof fields === "object" && fields !== null) return fields as Record<string, unknown>;
  } catch {
    // Not JSON: shown as `detail` below.
  }
  return { detail: entry };
}

export const auditVerifyCommand: CommandMaker = (audit, settings) => {
  audit
    .command("verify")
    .description(
      "Check the audit log's hash chain here, without trusting the daemon, against the heads recorded in the data folder",
    )
    .option(
      "--expect <seq:hash>",
      "a head printed before, which the log must still have: reveals a truncated log",
      head,
    )
    .option("--heads <file>", "recorded heads, such as a copy of the data folder's audit-heads stored elsewhere")
    .addHelpText("after", example("orchctl audit verify"))
    .action(async ({ expect, heads }: { expect?: AuditHead; heads?: string }, command) => {
      const { client, print, settings: found } = sessionOf(command, settings);
      // Read before the log, which may grow meanwhile.
      const recorded = await recordedHeads(found, heads);
      const verdict = await verifyAudit(readAudit(client), expect === undefined ? recorded : [...recorded, expect]);
      if (verdict.kind === "broken") {
        throw new CliFailure("unexpected", `the audit log is broken: ${verdict.problem}`, "AUDIT_BROKEN");
      }
      const { seq } = verdict.head;
      const compared = recorded.length === 0 ? {} : { recorded_heads: recorded.length };
      print.document({ lines: seq, head: formatHead(verdict.head), ...compared }, () => {
        const holds = `${seq} ${seq === 1 ? "line holds" : "lines hold"}, head ${formatHead(verdict.head)}`;
        return recorded.length === 0 ? holds : `${holds}; compared with ${recorded.length} recorded heads`;
      });
    });
};

function head(text: string): AuditHead {
  const parsed = parseHead(text);
  if (parsed !== null) return parsed;
  throw new InvalidArgumentError("Expected a head as orchctl audit verify prints it, such as 12:9f86d0….");
}

/** The heads in the given file, or in the data folder of a daemon on this machine if its file can be read. */
async function recordedHeads(
  { url, dataDir }: { readonly url: string; readonly dataDir: string },
  file: string | undefined,
): Promise<readonly AuditHead[]> {
  if (file === undefined && !isLocal(url)) return [];
  const path = file ?? join(dataDir, AUDIT_HEADS_FILE);
  try {
    return parseHeads(await readFile(path, "utf8"));
  } catch (error) {
    if (file === undefined && hasCode(error, "ENOENT", "EACCES")) return [];
    throw new CliFailure("usage", `--heads: ${path} cannot be read (${errorCode(error)})`);
  }
}
