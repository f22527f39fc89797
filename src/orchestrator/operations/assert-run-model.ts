import { readEngineSettings } from "../../contract/settings/engine-settings.ts";
import { modelProblem, resolveModel } from "../../contract/settings/model-problem.ts";
import { EnvironmentReader } from "../../shared/environment.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { openEngineEnv } from "../store/engine-env.ts";
import { layersOf, policyOfEngine } from "../store/planned-policy.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { modelRulesOf } from "../supervision/follow-models.ts";

/**
 * Throws for a model that a schedule or webhook cannot have: by the settings with which the engine would start now, and
 * by its policy. The engine checks it again when the turn starts.
 */
export function assertRunModel(
  host: Pick<HostContext, "settings" | "box">,
  { product, engine }: { readonly product: Product; readonly engine: EngineRow },
  model: string | null | undefined,
): void {
  if (model === null || model === undefined) return;
  const env = { ...host.settings.engineDefaults, ...openEngineEnv(host, product) };
  const settings = readEngineSettings(new EnvironmentReader(env), () => undefined);
  const rules = modelRulesOf(policyOfEngine(product, layersOf(engine)));
  const problem = modelProblem(settings, rules, resolveModel(settings, model));
  if (problem?.kind === "unknown") throw new InvalidInput("model", problem.message);
  if (problem?.kind === "denied") throw new ApiError("POLICY_DENIED", `model: ${problem.message}`);
}
