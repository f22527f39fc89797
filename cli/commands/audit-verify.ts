import { InvalidArgumentError } from "commander";
import { type AuditHead, formatHead, parseHead } from "../../src/contract/audit-chain.ts";
import { readAudit, verifyAudit } from "../audit-trail.ts";
import { CliFailure } from "../exit-codes.ts";
import { recordedHeads } from "../recorded-heads.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const auditVerifyCommand: CommandMaker = (audit, settings) => {
  audit
    .command("verify")
    .description(
      "Check the audit log's chain of hashes here, without trusting the daemon, against the heads recorded in the data folder",
    )
    .option("--expect <seq:hash>", "a head noted before, which must still be there: tells a log that was cut off", head)
    .option("--heads <file>", "recorded heads, such as a copy of the data folder's audit-heads kept elsewhere")
    .addHelpText("after", example("orchctl audit verify"))
    .action(async ({ expect, heads }: { expect?: AuditHead; heads?: string }, command) => {
      const { client, print, settings: found } = sessionOf(command, settings);
      // Before the log is read: it may grow meanwhile.
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
