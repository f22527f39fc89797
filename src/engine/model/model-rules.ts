import { type ModelRules as PolicyRules, NO_MODEL_RULES } from "../../contract/engine/models.ts";
import { type NamedModel, readModelName } from "../../contract/settings/model-name.ts";
import {
  type ModelProblem,
  type ModelSettings,
  modelProblem,
  resolveModel,
} from "../../contract/settings/model-problem.ts";

/** Which models an engine has, and which of them its product's policy allows. */
export class ModelRules {
  readonly #settings: ModelSettings;
  #policy: PolicyRules;

  constructor(settings: ModelSettings, policy: PolicyRules = NO_MODEL_RULES) {
    this.#settings = settings;
    this.#policy = policy;
  }

  setPolicy(policy: PolicyRules): void {
    this.#policy = policy;
  }

  /** The model of a name that a call or an agent gives: `main`, `planner`, `light`, `model` or `provider:model`. */
  resolve(name: string): string {
    return resolveModel(this.#settings, name);
  }

  /** A model and its provider. */
  read(model: string): NamedModel {
    return readModelName(model, this.#settings.provider);
  }

  /** The policy's models that answer instead of one that fails. */
  get fallback(): readonly string[] {
    return this.#policy.fallback;
  }

  /** Null for a model that may be used. Those of the settings and of the policy's `fallback` are allowed. */
  problemOf(model: string): ModelProblem | null {
    return modelProblem(this.#settings, this.#policy, model);
  }
}
