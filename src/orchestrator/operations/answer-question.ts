import type { OrchestratorErrorCode } from "../../contract/orchestrator/errors.ts";
import { ApiError } from "../api-error.ts";
import { passAnswer } from "../engine-calls/engine-questions.ts";
import type { EngineHost } from "../host-context.ts";
import { isAsleep } from "../rules/engine-lifecycle.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import type { Product } from "../store/products.ts";
import { storeAfterAnswer } from "../supervision/collect-questions.ts";
import { inSleepLane } from "../supervision/sleep-lane.ts";
import { assertNotSuspended } from "./assert-admission.ts";

interface GivenAnswer {
  readonly userId: string;
  readonly requestId: string;
  readonly answer: string;
}

/** How often an answer is tried while the engine falls asleep, wakes or restarts. */
const MAX_ATTEMPTS = 3;

/** The engine's codes as this interface has them. */
const CODES: Readonly<Record<string, OrchestratorErrorCode>> = {
  INVALID_REQUEST: "INVALID_REQUEST",
  POLICY_DENIED: "POLICY_DENIED",
  HITL_NOT_FOUND: "QUESTION_NOT_FOUND",
  HITL_ALREADY_ANSWERED: "QUESTION_ANSWERED",
};

/** Passes an answer on to the engine, which decides whether the question is open. A sleeping engine is woken for it. */
export async function answerQuestion(
  host: EngineHost,
  product: Product,
  { userId, requestId, answer }: GivenAnswer,
): Promise<void> {
  assertNotSuspended(product);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const engine = await getEngineRow(host, product, userId);
    if (isAsleep(engine)) {
      const woken = await host.supervisor.wake(engine.id, "call");
      if (woken.kind === "failed") throw woken.error;
    }
    const outcome = await inSleepLane(host, engine.id, async () => {
      const live = host.live.get(engine.id);
      if (live === undefined || live.isStopping) return null;
      const target = { url: live.url, token: live.controlToken };
      const passed = await passAnswer(target, { request_id: requestId, answer });
      if (passed.kind === "answered") await storeAfterAnswer(host, live, passed.report);
      return passed;
    });
    if (outcome === null) continue;
    if (outcome.kind === "answered") return;
    if (outcome.kind === "failed") throw new ApiError("BACKEND_ERROR", `engine ${engine.id}: ${outcome.reason}`);
    const code = CODES[outcome.code];
    if (code === undefined) throw new ApiError("BACKEND_ERROR", `engine ${engine.id}: ${outcome.message}`);
    throw new ApiError(code, outcome.message);
  }
  throw new ApiError("ENGINE_NOT_RUNNING", "the engine does not run: start it, and answer then");
}
