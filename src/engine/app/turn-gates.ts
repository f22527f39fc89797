import type { EngineBudgets } from "../../contract/engine/budgets.ts";
import type { Suspension } from "../../contract/orchestrator/policy.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import type { MessageIntake } from "../turns/message-intake.ts";
import type { Learning } from "../learning/learning.ts";
import type { ProductSuspension } from "../turns/product-suspension.ts";
import type { EngineModel } from "./open-model.ts";

interface GateParts {
  readonly model: Pick<EngineModel, "budgets">;
  readonly suspension: ProductSuspension;
  readonly learning: Pick<Learning, "interrupt">;
}

/** What decides whether turns may start. The end of a refusal starts what waits. */
export function turnGates(
  { model, suspension, learning }: GateParts,
  { runner, intake }: { readonly runner: TurnRunner; readonly intake: MessageIntake },
) {
  return {
    suspend(suspended: Suspension | null) {
      suspension.set(suspended);
      if (suspended === null) intake.startWaiting();
      if (suspended !== "now") return;
      runner.cancelAll(suspension.reason);
      learning.interrupt();
    },
    setBudgets(budgets: EngineBudgets) {
      model.budgets.set(budgets);
      intake.startWaiting();
    },
  };
}
