import type { HostContext } from "../host-context.ts";
import { retryUntilStopped } from "../supervision/retry-until-stopped.ts";
import { lastEventTime } from "../store/events.ts";

/** Tells that sleeping engines refused calls while no daemon ran, for nothing kept their sockets. */
export async function reportRefusedCalls(
  host: Pick<HostContext, "db" | "events" | "stopping" | "logger">,
  engines: number,
): Promise<void> {
  await retryUntilStopped(host, "event of refused calls", async () => {
    const since = await lastEventTime(host.db, host.events.hostId);
    const data = { engines, since: since?.toISOString() ?? null };
    await host.events.insert(host.db, { type: "host.calls_refused", data });
    host.logger.warn(data, "sleeping engines refused calls while no daemon ran");
  });
}
