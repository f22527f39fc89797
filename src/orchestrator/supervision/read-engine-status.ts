import type { EngineStatus } from "../../contract/engine-control.ts";
import { engineStatus } from "../fleet/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";

/** Reads an engine's status and adds what it has counted to the metrics of its product. Null when it does not answer. */
export async function readEngineStatus(
  { metrics }: Pick<HostContext, "metrics">,
  live: LiveEngine,
): Promise<EngineStatus | null> {
  const known = live.counted?.revision ?? null;
  const answer = await engineStatus({ url: live.url, token: live.controlToken }, { known });
  if (answer.kind === "failed") return null;
  const { metrics: report } = answer.status;
  // An answer that a later one has overtaken holds nothing new.
  const isNews = report !== undefined && report.revision > (live.counted?.revision ?? -1);
  if (isNews) live.counted = metrics.engines.add(live.order.launch.product, report, live.counted);
  return answer.status;
}
