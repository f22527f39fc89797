import type { EngineState } from "../../contract/orchestrator/engine-states.ts";
import type { AnswerTo, Asked } from "../../contract/broker/questions.ts";
import type { Records } from "../host-context.ts";
import type { Db } from "../store/database.ts";
import { findEngineById } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";

/** Whether this start of an engine is its current one. A stopped engine has none. */
export async function answerEngine({ db }: Pick<Records, "db">, start: Asked<"engine">): Promise<AnswerTo<"engine">> {
  return { is_current: (await findCurrentStart(db, start)) !== null };
}

/** The engine whose current start this is. Null for an earlier start, and for an engine without a process. */
export async function findCurrentStart(db: Db, { engine, incarnation }: Asked<"engine">): Promise<EngineRow | null> {
  const row = await findEngineById(db, engine);
  return row !== null && row.incarnation === incarnation && HAS_PROCESS.has(row.state) ? row : null;
}

/** One that is stopping still ends its turns. */
const HAS_PROCESS: ReadonlySet<EngineState> = new Set(["provisioning", "starting", "running", "unhealthy", "stopping"]);
