import { MODEL_ROLES, type ModelRole } from "../../contract/engine/model-choice.ts";
import { type ModelRules as PolicyRules, NO_MODEL_RULES } from "../../contract/engine/models.ts";
import { type NamedModel, canonicalName, permitsModel, readModelName } from "../../contract/settings/model-name.ts";
import { missingOf } from "../../contract/settings/upstreams.ts";
import type { EngineConfig } from "../../contract/settings/engine-settings.ts";

/** Why a model cannot be used. */
export interface ModelProblem {
  /** `denied`: by the policy. `unknown`: its provider has no key. */
  readonly kind: "denied" | "unknown";
  readonly message: string;
}

/** Which models an engine has, and which of them its product's policy allows. */
export class ModelRules {
  readonly #config: Pick<EngineConfig, "provider" | "upstreams">;
  readonly #roles: Readonly<Record<ModelRole, string>>;
  #policy: PolicyRules;

  constructor(
    config: Pick<EngineConfig, "provider" | "upstreams" | "model" | "plannerModel" | "lightModel">,
    policy: PolicyRules = NO_MODEL_RULES,
  ) {
    this.#config = config;
    this.#roles = { main: config.model, planner: config.plannerModel, light: config.lightModel };
    this.#policy = policy;
  }

  setPolicy(policy: PolicyRules): void {
    this.#policy = policy;
  }

  /** The model of a name that a call or an agent gives: `main`, `planner`, `light`, `model` or `provider:model`. */
  resolve(name: string): string {
    const role = MODEL_ROLES.find((one) => one === name);
    return canonicalName(role === undefined ? name : this.#roles[role], this.#config.provider);
  }

  /** A model and its provider. */
  read(model: string): NamedModel {
    return readModelName(model, this.#config.provider);
  }

  /** The policy's models that answer instead of one that fails. */
  get fallback(): readonly string[] {
    return this.#policy.fallback;
  }

  /** Null for a model that may be used. Those of the settings and of the policy's `fallback` are allowed. */
  problemOf(model: string): ModelProblem | null {
    const { provider: own, upstreams } = this.#config;
    const { provider } = readModelName(model, own);
    if (provider !== own && !upstreams.has(provider)) {
      const message = `${model} needs the setting ${missingOf(provider, {})}, which the engine does not have`;
      return { kind: "unknown", message };
    }
    const given = [...Object.values(this.#roles), ...this.#policy.fallback].map((name) => this.resolve(name));
    if (given.includes(model) || permitsModel(this.#policy.allowed, model, own)) return null;
    const allowed = [...new Set([...given, ...(this.#policy.allowed ?? [])])].join(", ");
    return { kind: "denied", message: `the product's policy does not allow the model ${model}; it allows ${allowed}` };
  }
}
