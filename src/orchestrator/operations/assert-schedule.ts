import { hasCode } from "../../shared/error-code.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import type { Trx } from "../store/database.ts";
import { layersOf, policyOfEngine } from "../store/planned-policy.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { countSchedules } from "../store/schedules.ts";

const UNIQUE_VIOLATION = "23505";
const NAME_CONSTRAINT = "_engine_id_name_key";

/** Throws QUOTA_EXCEEDED when the engine has as many schedules and webhooks as the policy allows. */
export async function assertScheduleQuota(trx: Trx, product: Product, engine: EngineRow): Promise<void> {
  const policy = policyOfEngine(product, layersOf(engine));
  if ((await countSchedules(trx, engine.id)) >= policy.max_schedules)
    throw new ApiError(
      "QUOTA_EXCEEDED",
      `the engine has ${policy.max_schedules} schedules and webhooks (max_schedules)`,
    );
}

/** Throws `InvalidInput` when the name is taken. A unique constraint decides, also between concurrent calls. */
export async function refuseTakenName(kind: "schedule" | "webhook", change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (isNameTaken(error)) throw new InvalidInput("name", `the engine has another ${kind} with this name`);
    throw error;
  }
}

const isNameTaken = (error: unknown): boolean =>
  hasCode(error, UNIQUE_VIOLATION) &&
  error instanceof Error &&
  "constraint" in error &&
  String(error.constraint).endsWith(NAME_CONSTRAINT);
