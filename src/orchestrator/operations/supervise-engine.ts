import type { LastError } from "../../contract/orchestrator-api.ts";
import { delay } from "../../kit/clock.ts";
import type { EngineExit } from "../fleet/engine-backend.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { judgeExit } from "../rules/restart.ts";
import { findEngineById } from "../store/engines.ts";
import { findProduct } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { bootEngine } from "./boot-engine.ts";
import { freshLife } from "./fresh-life.ts";
import { describeError } from "./last-error.ts";
import { insist } from "./insist.ts";
import type { Orchestration } from "./orchestration.ts";
import { watchEngine } from "./watch-engine.ts";

/** From `running` on: watches this life of an engine and, when it ends unasked, starts the next one or gives up. */
export function superviseEngine(o: Orchestration, live: LiveEngine): void {
  watchEngine(o, live, async () => {
    const exit = await live.process.exited;
    const lastError = await describeError(o, live.id, { phase: "run", reason: describeExit(exit), exit });
    o.live.remove(live.id, live.incarnation);
    await restartOrGiveUp(o, {
      id: live.id,
      incarnation: live.incarnation,
      from: ["running", "unhealthy"],
      lastError,
      healthyForMs: o.now() - live.healthySince,
    });
  });
}

/** Waits out the back-off of an engine, then starts it; a stop, start or destroy meanwhile wins. */
export async function restartLater(o: Orchestration, engine: EngineRow): Promise<void> {
  const waitMs = Math.max(0, (engine.next_restart_at?.getTime() ?? 0) - o.now());
  if (waitMs > 0 && !(await delay(waitMs, o.stopping))) return;
  const claimed = await insist(o, "restart", () =>
    o.states.move({
      id: engine.id,
      from: ["backoff"],
      to: "starting",
      incarnation: engine.incarnation,
      set: freshLife(o, {}),
    }),
  );
  if (!claimed) return;
  const product = await insist(o, "restart", () => findProduct(o.db, claimed.product_id));
  if (!product) return;
  const result = await bootEngine(o, claimed, product);
  if (result.kind === "running") return superviseEngine(o, result.live);
  if (result.kind === "overtaken") return;
  await restartOrGiveUp(o, {
    id: claimed.id,
    incarnation: claimed.incarnation,
    from: ["starting"],
    lastError: result.lastError,
    healthyForMs: 0,
  });
}

/** Writes down how a life ended and what follows, in one move; nothing when a request has taken the engine over. */
export async function restartOrGiveUp(
  o: Orchestration,
  end: {
    readonly id: string;
    readonly incarnation: string;
    readonly from: readonly ("starting" | "running" | "unhealthy")[];
    readonly lastError: LastError;
    readonly healthyForMs: number;
  },
): Promise<void> {
  const engine = await insist(o, "crash", async () => {
    const row = await findEngineById(o.db, end.id);
    // Ended because a stop or a destroy wanted it: nothing unasked about that.
    if (row === null || row.incarnation !== end.incarnation || !end.from.some((state) => state === row.state))
      return null;
    const now = o.now();
    const verdict = judgeExit({
      exitCode: end.lastError.exit_code,
      healthyForMs: end.healthyForMs,
      history: { count: row.restart_count, windowStartedAt: row.restart_window_started_at?.getTime() ?? null },
      now,
      random: Math.random(),
    });
    const { count, windowStartedAt } = verdict.history;
    const set = {
      pid: null,
      last_error: JSON.stringify(end.lastError),
      restart_count: count,
      restart_window_started_at: windowStartedAt === null ? null : new Date(windowStartedAt),
    };
    const fields = {
      engine_id: end.id,
      incarnation: end.incarnation,
      last_error: end.lastError,
      verdict: verdict.reason,
    };
    o.logger.warn(
      fields,
      verdict.kind === "restart" ? "engine ended unasked: it starts again" : "engine ended unasked: given up",
    );
    return verdict.kind === "restart"
      ? o.states.move({ ...end, to: "backoff", set: { ...set, next_restart_at: new Date(now + verdict.delayMs) } })
      : o.states.move({
          ...end,
          to: "failed",
          set: { ...set, stopped_at: new Date(now), stop_reason: verdict.reason },
        });
  });
  if (engine?.state === "backoff") await restartLater(o, engine);
}

function describeExit({ code, signal }: EngineExit): string {
  const how = signal !== null ? `on ${signal}` : code !== null ? `with code ${code}` : "unobserved";
  return `the engine's process exited ${how}`;
}
