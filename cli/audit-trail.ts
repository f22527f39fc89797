import * as z from "zod/mini";
import { type AuditHead, type AuditRecord, GENESIS_HASH, brokenLink } from "../src/contract/audit-chain.ts";
import { CliFailure } from "./exit-codes.ts";
import type { OrchestratorClient } from "./orchestrator-client.ts";

const auditLine = z.object({ seq: z.int(), entry: z.string(), prev_hash: z.string(), hash: z.string() });

/** Every line of the audit log in its order, as the daemon tells it. */
export async function* readAudit(client: Pick<OrchestratorClient, "admin">): AsyncGenerator<AuditRecord> {
  let after = 0;
  for (;;) {
    const page = await client.admin<{ data: unknown }>(`/admin/audit?after=${after}&limit=200`);
    const lines = z.safeParse(z.array(auditLine), page.data);
    if (!lines.success) throw new CliFailure("unexpected", `the daemon's audit log holds what is no line of one`);
    yield* lines.data;
    const last = lines.data.at(-1);
    // Asked for until nothing more comes: a daemon's word that this was the last page is not taken for it.
    if (last === undefined || last.seq <= after) return;
    after = last.seq;
  }
}

export type Verdict =
  | { readonly kind: "holds"; readonly head: AuditHead }
  | { readonly kind: "broken"; readonly problem: string };

/**
 * Follows the chain from its first line to its last, by the hashes computed here. A chain that was made anew from some
 * line on, or cut off at its end, holds in itself: only heads that were noted before, `expected`, tell.
 */
export async function verifyAudit(lines: AsyncIterable<AuditRecord>, expected: readonly AuditHead[]): Promise<Verdict> {
  const noted = Map.groupBy(expected, ({ seq }) => seq);
  const last = Math.max(0, ...noted.keys());
  let head: AuditHead = { seq: 0, hash: GENESIS_HASH };
  let matched = 0;
  const isAnew = () => noted.get(head.seq)?.some(({ hash }) => hash !== head.hash) ?? false;
  const anew = (): Verdict => ({
    kind: "broken",
    problem: `line ${head.seq} is not the one that was noted: the log was made anew${matched > 0 ? ` after line ${matched}` : ""}`,
  });
  if (isAnew()) return anew();
  for await (const line of lines) {
    const problem = brokenLink(head.seq === 0 ? null : head, line);
    if (problem !== null) return { kind: "broken", problem };
    head = { seq: line.seq, hash: line.hash };
    if (isAnew()) return anew();
    if (noted.has(head.seq)) matched = head.seq;
  }
  if (head.seq >= last) return { kind: "holds", head };
  return { kind: "broken", problem: `line ${head.seq + 1} is missing: the log was cut off before line ${last}` };
}
