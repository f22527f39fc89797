import { InvalidArgumentError } from "commander";
import { type AuditHead, readAudit, verifyAudit } from "../audit-trail.ts";
import { CliFailure } from "../exit-codes.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

const HEAD = /^(\d{1,15}):([0-9a-f]{64})$/;

export const auditVerifyCommand: CommandMaker = (audit, settings) => {
  audit
    .command("verify")
    .description("Check the audit log's chain of hashes here, without trusting the daemon; note its head for --expect")
    .option("--expect <seq:hash>", "a head noted before, which must still be there: tells a log that was cut off", head)
    .addHelpText("after", example("orchctl audit verify"))
    .action(async ({ expect }: { expect?: AuditHead }, command) => {
      const { client, print } = sessionOf(command, settings);
      const verdict = await verifyAudit(readAudit(client), expect ?? null);
      if (verdict.kind === "broken") {
        throw new CliFailure("unexpected", `the audit log is broken: ${verdict.problem}`, "AUDIT_BROKEN");
      }
      const { seq, hash } = verdict.head;
      print.document(
        { lines: seq, head: `${seq}:${hash}` },
        () => `${seq} ${seq === 1 ? "line holds" : "lines hold"}, head ${seq}:${hash}`,
      );
    });
};

function head(text: string): AuditHead {
  const [, seq, hash] = HEAD.exec(text) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash };
  throw new InvalidArgumentError("Expected a head as orchctl audit verify prints it, such as 12:9f86d0….");
}
