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
import { type TurnNotice, turnNotice, turnNoticeOf } from "../../../contract/engine/turn-notice.ts";
import { unlessMissing } from "../../../shared/files.ts";
import { untrustedText } from "../../../shared/untrusted-text.ts";
import type { UncollectedOutcome } from "../engine-storage.ts";
import { daemonUser } from "../isolation/owner.ts";
import type { FolderReader } from "./read-folder.ts";

const TIMEOUT_MS = 20_000;
/** Of the program's output. */
export const MAX_UNCOLLECTED_BYTES = 8 * 1024 ** 2;
const HEAP_MB = 64;
const MAX_REASON = 500;
/** The last time of a `Date`. */
const MAX_TIME_MS = 8.64e15;

const output = z.nullable(
  z.object({
    usage: z.nullable(z.object({ ledger: z.string(), rows: z.array(z.unknown()) })),
    notices: z.array(z.unknown()),
  }),
);
const noticeRow = z.looseObject({ at: z.int().check(z.gte(0), z.lte(MAX_TIME_MS)) });

/** Reads what a stopped engine has not told the daemon, through a process of its folder's owner. */
export async function readUncollected(
  { nodePath, program, signal }: FolderReader,
  folder: string,
  known: UsageCursor | null,
): Promise<UncollectedOutcome> {
  const stat = await unlessMissing(lstat(join(folder, "engine.db")));
  if (stat === null) return { kind: "read", usage: [], notices: [] };
  const args = [`--max-old-space-size=${HEAP_MB}`, program, folder, "uncollected", formatCursor(known)];
  const { stdout, failed, stderr, shortMessage } = await execa(nodePath, args, {
    cwd: "/",
    env: {},
    extendEnv: false,
    ...(stat.uid !== daemonUser().uid && { uid: stat.uid, gid: stat.gid }),
    stdin: "ignore",
    maxBuffer: MAX_UNCOLLECTED_BYTES,
    timeout: TIMEOUT_MS,
    reject: false,
    cancelSignal: signal,
    killSignal: "SIGKILL",
  });
  signal.throwIfAborted();
  if (failed) return { kind: "failed", reason: untrustedText(stderr || (shortMessage ?? ""), MAX_REASON) };
  return parseUncollected(stdout);
}

/** Parses the program's output: usage into reports of the size that engines send. Notices that do not fit are left out. */
export function parseUncollected(text: string): UncollectedOutcome {
  const invalid = { kind: "failed", reason: "the store is not in the expected form" } as const;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return invalid;
  }
  const found = output.safeParse(parsed);
  if (!found.success) return invalid;
  const { ledger, rows = [] } = found.data?.usage ?? { ledger: "" };
  const reports: UsageReport[] = [];
  for (let at = 0; at < rows.length; at += USAGE_LIMITS.rowsPerReport) {
    const part = rows.slice(at, at + USAGE_LIMITS.rowsPerReport) as UsageReport["rows"];
    const report = usageReport.safeParse({ ledger, revision: part.at(-1)?.revision, rows: part, more: false });
    if (!report.success) return invalid;
    reports.push(report.data);
  }
  return { kind: "read", usage: reports, notices: (found.data?.notices ?? []).flatMap(noticesOf) };
}

/** None for a row that is no notice. */
function noticesOf(row: unknown): readonly TurnNotice[] {
  const stored = noticeRow.safeParse(row);
  const notice = stored.success ? turnNotice.safeParse(turnNoticeOf(stored.data)) : stored;
  return notice.success ? [notice.data] : [];
}
