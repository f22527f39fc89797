import type { EngineStatus } from "../../contract/engine/status.ts";
import { engineStatus } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";
import { collectNotices } from "./collect-notices.ts";
import { collectQuestions } from "./collect-questions.ts";
import { collectUsage, loadUsageCursor } from "./collect-usage.ts";

/**
 * Reads an engine's status, adds its counters to the metrics of its product, and stores its usage, its notices of
 * turns and its open questions. Null when it does not answer.
 */
export async function readEngineStatus(
  host: Pick<HostContext, "metrics" | "db" | "events" | "lanes" | "now" | "logger">,
  live: LiveEngine,
): Promise<EngineStatus | null> {
  await loadUsageCursor(host, live);
  const usage = live.usageCursor === undefined ? {} : { usage: live.usageCursor };
  const target = { url: live.url, token: live.controlToken };
  const answer = await engineStatus(target, {
    metrics: live.counted?.revision ?? null,
    notices: live.noticesRead,
    ...usage,
  });
  if (answer.kind === "failed") return null;
  const { metrics: report } = answer.status;
  // A response that arrives after a later one contains nothing new.
  const isNew = report !== undefined && report.revision > (live.counted?.revision ?? -1);
  if (isNew) live.counted = host.metrics.engines.add(live.order.launch.product, report, live.counted);
  await collectUsage(host, live, answer.status.usage);
  await collectNotices(host, live, answer.status.notices);
  await collectQuestions(host, live, answer.status.questions_revision);
  return answer.status;
}

/** Whether the ledger and the notices are collected of which an engine's last status tells. */
export const isCollected = (
  { usageCursor, noticesRead }: LiveEngine,
  { usage_revision: revision, last_notice: notice }: Pick<EngineStatus, "usage_revision" | "last_notice">,
): boolean =>
  revision !== undefined &&
  usageCursor !== undefined &&
  (usageCursor?.revision ?? 0) >= revision &&
  noticesRead >= (notice ?? 0);
