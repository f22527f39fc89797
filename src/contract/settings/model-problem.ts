import type { ModelRules } from "../engine/models.ts";
import { MODEL_ROLES } from "../engine/model-choice.ts";
import type { EngineConfig } from "./engine-settings.ts";
import { canonicalName, permitsModel, readModelName } from "./model-name.ts";
import { missingOf } from "./upstreams.ts";

/** Why a model cannot be used. */
export interface ModelProblem {
  /** `denied`: by the policy. `unknown`: its provider has no key. */
  readonly kind: "denied" | "unknown";
  readonly message: string;
}

/** The models and providers of an engine's settings. */
export type ModelSettings = Pick<EngineConfig, "provider" | "upstreams" | "model" | "plannerModel" | "lightModel">;

/** The model of a name that a call or an agent gives: `main`, `planner`, `light`, `model` or `provider:model`. */
export function resolveModel(
  { provider, model, plannerModel, lightModel }: Omit<ModelSettings, "upstreams">,
  name: string,
): string {
  const role = MODEL_ROLES.find((one) => one === name);
  const roles = { main: model, planner: plannerModel, light: lightModel };
  return canonicalName(role === undefined ? name : roles[role], provider);
}

/** Null for a resolved model that may be used. Those of the settings and of the policy's `fallback` are allowed. */
export function modelProblem(settings: ModelSettings, rules: ModelRules, model: string): ModelProblem | null {
  const { provider: own, upstreams } = settings;
  const { provider } = readModelName(model, own);
  if (provider !== own && !upstreams.has(provider)) {
    const message = `${model} needs the setting ${missingOf(provider, {})}, which the engine does not have`;
    return { kind: "unknown", message };
  }
  const given = [...MODEL_ROLES, ...rules.fallback].map((name) => resolveModel(settings, name));
  if (given.includes(model) || permitsModel(rules.allowed, model, own)) return null;
  const allowed = [...new Set([...given, ...(rules.allowed ?? [])])].join(", ");
  return { kind: "denied", message: `the product's policy does not allow the model ${model}; it allows ${allowed}` };
}
