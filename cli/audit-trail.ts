import * as z from "zod/mini";
import type { AuditRecord } from "../src/contract/orchestrator/audit.ts";
import { type AuditHead, GENESIS_HASH, brokenLink } from "../src/contract/orchestrator/audit-chain.ts";
import { lazily } from "../src/shared/lazily.ts";
import type { DaemonClient } from "./daemon-client.ts";
import { CliFailure } from "./exit-codes.ts";

const auditLines = lazily(() =>
  z.array(z.object({ seq: z.int(), entry: z.string(), prev_hash: z.string(), hash: z.string() })),
);

/** All lines of the audit log in order. */
export async function* readAudit(client: DaemonClient): AsyncGenerator<AuditRecord> {
  let after = 0;
  for (;;) {
    const page = await client.admin((admin) => admin.audit({ after }));
    // Checked here: `audit verify` must not trust the daemon.
    const lines = z.safeParse(auditLines(), page.data);
    if (!lines.success) throw new CliFailure("unexpected", "the audit log has a line of an unknown form");
    yield* lines.data;
    const last = lines.data.at(-1);
    // Only an empty page ends the log. A manipulated `next_cursor` could hide later lines.
    if (last === undefined || last.seq <= after) return;
    after = last.seq;
  }
}

export type Verdict =
  | { readonly kind: "holds"; readonly head: AuditHead }
  | { readonly kind: "broken"; readonly problem: string };

/**
 * Follows the chain from its first line to its last by hashes computed here. A log that was replaced from some line on,
 * or truncated, is a valid chain again: only the `expected` heads recorded before reveal it.
 */
export async function verifyAudit(lines: AsyncIterable<AuditRecord>, expected: readonly AuditHead[]): Promise<Verdict> {
  const recorded = Map.groupBy(expected, ({ seq }) => seq);
  const last = Math.max(0, ...recorded.keys());
  let head: AuditHead = { seq: 0, hash: GENESIS_HASH };
  let matched = 0;
  const isReplaced = () => recorded.get(head.seq)?.some(({ hash }) => hash !== head.hash) ?? false;
  const replaced = (): Verdict => ({
    kind: "broken",
    problem: `line ${head.seq} differs from the recorded one: the log was replaced${matched > 0 ? ` after line ${matched}` : ""}`,
  });
  if (isReplaced()) return replaced();
  for await (const line of lines) {
    const problem = brokenLink(head.seq === 0 ? null : head, line);
    if (problem !== null) return { kind: "broken", problem };
    head = { seq: line.seq, hash: line.hash };
    if (isReplaced()) return replaced();
    if (recorded.has(head.seq)) matched = head.seq;
  }
  if (head.seq >= last) return { kind: "holds", head };
  return { kind: "broken", problem: `line ${head.seq + 1} is missing: the log was truncated before line ${last}` };
}
