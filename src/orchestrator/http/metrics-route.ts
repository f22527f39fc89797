import type { HostContext } from "../host-context.ts";
import { readMetrics } from "../status/read-metrics.ts";
import type { Handler } from "./call.ts";

/** Everything measured, in Prometheus's text format. */
export function metricsRoute(o: HostContext): Handler {
  return async ({ response }) => {
    const { text, contentType } = await readMetrics(o);
    response.set("Content-Type", contentType).send(text);
    return undefined;
  };
}
