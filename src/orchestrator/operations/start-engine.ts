import type { EngineRecord } from "../../contract/orchestrator-api.ts";
import { ApiError } from "../api-error.ts";
import { mayStart } from "../rules/engine-lifecycle.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { type BootResult, bootEngine } from "./boot-engine.ts";
import { engineRecord } from "./engine-record.ts";
import { freshLife } from "./fresh-life.ts";
import { getEngineRow } from "./look-up-engine.ts";
import type { Orchestration } from "./orchestration.ts";
import { assertAllowed } from "./policy-check.ts";
import { superviseEngine } from "./supervise-engine.ts";

/** Starts an engine at rest. When it does not come up it is left `failed`, its data intact. */
export async function startEngine(o: Orchestration, product: Product, userId: string): Promise<EngineRecord> {
  assertAllowed(product, "start");
  const engine = await getEngineRow(o, product, userId);
  const verdict = mayStart(engine.state);
  if (verdict !== "go") throw new ApiError(verdict, `the engine is ${engine.state}`);
  const claimed = await o.states.move({
    id: engine.id,
    from: ["stopped", "failed", "backoff"],
    to: "starting",
    set: freshLife(o, { desired_state: "running", restart_count: 0, restart_window_started_at: null }),
  });
  if (claimed === null) return startEngine(o, product, userId);
  const result = await bootEngine(o, claimed, product);
  if (result.kind === "failed") {
    await rest(o, claimed, result);
    throw result.error;
  }
  if (result.kind === "overtaken") {
    throw new ApiError("OPERATION_IN_PROGRESS", "the engine was stopped or destroyed while it was starting");
  }
  superviseEngine(o, result.live);
  return engineRecord(o, result.engine);
}

async function rest(
  o: Orchestration,
  engine: EngineRow,
  result: Extract<BootResult, { kind: "failed" }>,
): Promise<void> {
  await o.states.move({
    id: engine.id,
    from: ["starting"],
    to: "failed",
    incarnation: engine.incarnation,
    set: { pid: null, last_error: JSON.stringify(result.lastError), stopped_at: new Date(o.now()) },
  });
}
