import type { Orchestration } from "../operations/orchestration.ts";
import { readMetrics } from "../operations/read-metrics.ts";
import type { Handler } from "./call.ts";

/** Everything measured, in Prometheus's text format. */
export function metricsRoute(o: Orchestration): Handler {
  return async ({ response }) => {
    const { text, contentType } = await readMetrics(o);
    response.set("Content-Type", contentType).send(text);
    return undefined;
  };
}
