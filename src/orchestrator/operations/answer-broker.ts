import type { EngineState } from "../../contract/orchestrator/engine-states.ts";
import type { AnswerTo, Asked } from "../../contract/broker/questions.ts";
import type { Records } from "../host-context.ts";
import { findEngineById } from "../store/engines.ts";

/** Whether this start of an engine is its current one. A stopped engine has none. */
export async function answerEngine(
  { db }: Pick<Records, "db">,
  { engine, incarnation }: Asked<"engine">,
): Promise<AnswerTo<"engine">> {
  const row = await findEngineById(db, engine);
  return { is_current: row?.incarnation === incarnation && HAS_PROCESS.has(row.state) };
}

/** One that is stopping still ends its turns. */
const HAS_PROCESS: ReadonlySet<EngineState> = new Set(["provisioning", "starting", "running", "unhealthy", "stopping"]);
