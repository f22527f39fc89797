import type { IntegerParameter } from "../route-table.ts";

/** Apart from the routes, so that `orchctl` starts without zod. */
export const LOG_TAIL: IntegerParameter = {
  kind: "integer",
  min: 0,
  max: 10_000,
  fallback: 200,
  summary: "How many of the last lines",
};
