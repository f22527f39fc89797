import { outsideRequests } from "../../shared/request-context.ts";
import type { BreakerNews } from "./fleet-breaker.ts";
import type { HostContext } from "../host-context.ts";

/** Tells operators that restarts pause, or go on. */
export function reportBreaker(
  { db, events, logger }: Pick<HostContext, "db" | "events" | "logger">,
  news: BreakerNews,
): void {
  const { kind, ...data } = news;
  logger.error(data, kind === "opened" ? "many engines fail at once: restarts pause" : "restarts go on");
  const type = kind === "opened" ? ("host.breaker_opened" as const) : ("host.breaker_closed" as const);
  outsideRequests(() => events.insert(db, { type, data })).catch((error: unknown) =>
    logger.warn({ err: error }, "the breaker's event could not be written"),
  );
}
