import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import * as z from "zod/mini";
import {
  USAGE_LIMITS,
  type UsageCursor,
  type UsageReport,
  formatCursor,
  usageReport,
} from "../../../contract/engine/metered-usage.ts";
import { unlessMissing } from "../../../shared/files.ts";
import { untrustedText } from "../../../shared/untrusted-text.ts";
import type { LedgerOutcome } from "../engine-storage.ts";
import { daemonUser } from "../isolation/owner.ts";
import type { FolderReader } from "./read-folder.ts";

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 4 * 1024 ** 2;
const HEAP_MB = 64;
const MAX_REASON = 500;

const ledgerRows = z.nullable(z.object({ ledger: z.string(), rows: z.array(z.unknown()) }));

/** Reads the ledger of a stopped engine from a position, through a process of its folder's owner. */
export async function readLedger(
  { nodePath, program, signal }: FolderReader,
  folder: string,
  known: UsageCursor | null,
): Promise<LedgerOutcome> {
  const stat = await unlessMissing(lstat(join(folder, "engine.db")));
  if (stat === null) return { kind: "read", reports: [] };
  const args = [`--max-old-space-size=${HEAP_MB}`, program, folder, "usage", formatCursor(known)];
  const { stdout, failed, stderr, shortMessage } = await execa(nodePath, args, {
    cwd: "/",
    env: {},
    extendEnv: false,
    ...(stat.uid !== daemonUser().uid && { uid: stat.uid, gid: stat.gid }),
    stdin: "ignore",
    maxBuffer: MAX_BYTES,
    timeout: TIMEOUT_MS,
    reject: false,
    cancelSignal: signal,
    killSignal: "SIGKILL",
  });
  signal.throwIfAborted();
  if (failed) return { kind: "failed", reason: untrustedText(stderr || (shortMessage ?? ""), MAX_REASON) };
  return parseReports(stdout);
}

/** Parses the program's output into reports of the size that engines send. */
export function parseReports(text: string): LedgerOutcome {
  const invalid = { kind: "failed", reason: "the ledger is not in the expected form" } as const;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return invalid;
  }
  const found = ledgerRows.safeParse(parsed);
  if (!found.success) return invalid;
  const { ledger, rows = [] } = found.data ?? { ledger: "" };
  const reports: UsageReport[] = [];
  for (let at = 0; at < rows.length; at += USAGE_LIMITS.rowsPerReport) {
    const part = rows.slice(at, at + USAGE_LIMITS.rowsPerReport) as UsageReport["rows"];
    const report = usageReport.safeParse({ ledger, revision: part.at(-1)?.revision, rows: part, more: false });
    if (!report.success) return invalid;
    reports.push(report.data);
  }
  return { kind: "read", reports };
}
