import { outsideRequests } from "../../kit/request-context.ts";
import type { BreakerNews } from "./fleet-breaker.ts";
import type { Orchestration } from "./orchestration.ts";

/** Tells operators that restarts pause, or go on. */
export function tellBreaker(
  { db, events, logger }: Pick<Orchestration, "db" | "events" | "logger">,
  news: BreakerNews,
): void {
  const { kind, ...data } = news;
  logger.error(data, kind === "opened" ? "many engines fail at once: restarts pause" : "restarts go on");
  const type = kind === "opened" ? ("host.breaker_opened" as const) : ("host.breaker_closed" as const);
  outsideRequests(() => events.insert(db, { type, data })).catch((error: unknown) =>
    logger.warn({ err: error }, "the breaker's event could not be written"),
  );
}
