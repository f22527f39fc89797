import type { HostContext } from "../host-context.ts";
import { readMetrics } from "../status/read-metrics.ts";
import type { Handler } from "./call.ts";

/** Everything measured, in Prometheus's text format. */
export function metricsRoute(host: HostContext): Handler {
  return async ({ response }) => {
    const { text, contentType } = await readMetrics(host);
    response.set("Content-Type", contentType).send(text);
    return undefined;
  };
}
