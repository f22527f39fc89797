import type { EngineRecord } from "../../contract/orchestrator/requests.ts";
import { delay } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost } from "../host-context.ts";
import { isAsleep, maySleep } from "../rules/engine-lifecycle.ts";
import type { Product } from "../store/products.ts";
import { engineRecord } from "../status/engine-record.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import { type SleepOutcome, canSleep, putToSleep } from "../supervision/put-to-sleep.ts";
import { sleepSettled } from "../supervision/sleep-lane.ts";
import { assertAllowed } from "./assert-admission.ts";

/** How often a sleep is tried while other calls change the engine first. */
const MAX_ATTEMPTS = 5;
/** How long the call waits for a due learning batch, which a refused sleep starts. */
const LEARNING_WAIT_MS = 20_000;
const LEARNING_POLL_MS = 100;

/**
 * Puts an engine without work to sleep; its next call wakes it. Does nothing to a sleeping engine. Needs the policy action
 * `stop`. Tested in test/end-to-end/sleep.test.ts.
 */
export async function putEngineToSleep(host: EngineHost, product: Product, userId: string): Promise<EngineRecord> {
  assertAllowed(product, "stop");
  const learned = new Deadline(LEARNING_WAIT_MS);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const engine = await getEngineRow(host, product, userId);
    if (isAsleep(engine)) return engineRecord(host, engine);
    const verdict = maySleep(engine.state);
    if (verdict === "already") await sleepSettled(host, engine.id);
    else if (verdict !== "go") throw new ApiError(verdict, `the engine is ${engine.state}`);
    const live = host.live.get(engine.id);
    if (verdict === "already" || live === undefined) continue;
    if (!canSleep(host, live)) {
      const reason = "no call could wake the engine: this host cannot hold its socket; set ORCH_PUBLIC_URL";
      throw new ApiError("ENGINE_BUSY", reason);
    }
    const outcome = await putToSleep(host, live, { reason: "request", idleMs: 0 });
    if (outcome.kind === "asleep") return engineRecord(host, outcome.engine);
    if (outcome.kind === "overtaken") continue;
    const onlyLearns = outcome.awake.length > 0 && outcome.awake.every((one) => one === "learning");
    if (!onlyLearns || learned.isOver) throw refusal(outcome);
    attempt--;
    if (!(await delay(LEARNING_POLL_MS, host.stopping))) throw refusal(outcome);
  }
  throw new ApiError("OPERATION_IN_PROGRESS", "other calls keep changing this engine; retry later");
}

const refusal = ({ awake }: Extract<SleepOutcome, { kind: "refused" }>): ApiError =>
  awake.length === 0
    ? new ApiError("BACKEND_ERROR", "the engine did not answer whether it can sleep")
    : new ApiError("ENGINE_BUSY", `the engine has work: ${awake.join(", ")}`);
