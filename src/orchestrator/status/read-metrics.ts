import type { HostStatus } from "../../contract/orchestrator-api.ts";
import { hostStatus } from "./host-status.ts";
import type { HostContext } from "../host-context.ts";

/** The metrics as text. While the database is away, those that need none. */
export async function readMetrics(o: HostContext): Promise<{ readonly text: string; readonly contentType: string }> {
  const text = await o.metrics.text({
    events: o.events.written,
    draining: o.readiness.draining,
    breakerOpen: o.breaker.isOpen,
    starting: o.bootQueue.starting,
    waiting: o.bootQueue.waiting,
    host: await knownHost(o),
  });
  return { text, contentType: o.metrics.contentType };
}

async function knownHost(o: HostContext): Promise<HostStatus | null> {
  try {
    return await hostStatus(o);
  } catch (error) {
    o.logger.warn({ err: error }, "metrics without those of the database");
    return null;
  }
}
