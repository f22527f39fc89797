import type { HostStatus } from "../../contract/orchestrator-api.ts";
import { hostStatus } from "./host-status.ts";
import type { HostContext } from "../host-context.ts";

/** The metrics as text. While the database is unavailable, without those that need it. */
export async function readMetrics(host: HostContext): Promise<{ readonly text: string; readonly contentType: string }> {
  const text = await host.metrics.text({
    events: host.events.written,
    draining: host.readiness.draining,
    breakerOpen: host.breaker.isOpen,
    starting: host.bootQueue.starting,
    waiting: host.bootQueue.waiting,
    host: await tryHostStatus(host),
  });
  return { text, contentType: host.metrics.contentType };
}

async function tryHostStatus(
  host: Pick<
    HostContext,
    "db" | "backend" | "bootQueue" | "breaker" | "isolation" | "readiness" | "settings" | "logger"
  >,
): Promise<HostStatus | null> {
  try {
    return await hostStatus(host);
  } catch (error) {
    host.logger.warn({ err: error }, "failed to read database metrics");
    return null;
  }
}
