import type { CooldownReason } from "../../contract/engine/models.ts";
import type { ModelCooldowns } from "../model/model-cooldowns.ts";
import type { ModelFailure } from "../model/model-provider.ts";
import type { ModelRules } from "../model/model-rules.ts";
import type { AgentProfile } from "./agent-profiles.ts";
import type { TurnContext } from "./turn-context.ts";

export interface ModelParts {
  readonly rules: ModelRules;
  readonly cooldowns: ModelCooldowns;
}

export type ChosenModels =
  /** The models that may answer a step, in the order in which they are called. `instead`: of a model that cools down. */
  | { readonly kind: "models"; readonly models: readonly [string, ...string[]]; readonly instead: string | null }
  | { readonly kind: "denied"; readonly message: string };

type Wanted = Pick<AgentProfile, "model" | "fallback">;

/** The models of an agent: the one that was asked for, then those that answer when it fails. */
function listOf({ model, fallback }: Wanted, rules: ModelRules): readonly [string, ...string[]] {
  const wanted = rules.resolve(model);
  const others = (fallback ?? rules.fallback)
    .map((name) => rules.resolve(name))
    .filter((name) => name !== wanted && rules.problemOf(name) === null);
  return [wanted, ...new Set(others)];
}

/**
 * Decides which models may answer a step. A model that answered instead of another in this turn stays; later models of the
 * list follow it. A model that cools down is left out while another one is there.
 */
export function chooseModels(
  profile: Wanted,
  context: Pick<TurnContext, "model" | "substituteOf">,
  { rules, cooldowns }: ModelParts,
): ChosenModels {
  const all = listOf({ ...profile, model: context.model ?? profile.model }, rules);
  const problem = rules.problemOf(all[0]);
  if (problem !== null) return { kind: "denied", message: problem.message };
  const used = lastSubstitute(all[0], context.substituteOf);
  // A substitute that has left the list, by a reload, is followed by those that did not fail.
  const left = all.includes(used)
    ? all.slice(all.indexOf(used))
    : all.filter((model) => context.substituteOf(model) === null);
  const [first = all[0]] = left;
  const ready = left.filter((model) => cooldowns.leftMs(model) === 0);
  const [chosen = soonest(left, cooldowns) ?? first] = ready;
  const models = ready.length > 0 ? ready : left.slice(left.indexOf(chosen));
  return { kind: "models", models: [chosen, ...models.slice(1)], instead: chosen === first ? null : first };
}

function lastSubstitute(model: string, substituteOf: TurnContext["substituteOf"]): string {
  const seen = new Set<string>();
  let at = model;
  for (let next = substituteOf(at); next !== null && !seen.has(next); next = substituteOf(at)) {
    seen.add(next);
    at = next;
  }
  return at;
}

const soonest = (models: readonly string[], cooldowns: ModelCooldowns): string | undefined =>
  models.toSorted((left, right) => cooldowns.leftMs(left) - cooldowns.leftMs(right))[0];

const OVERLOADED: readonly (number | null)[] = [503, 529];

/** Why another model may answer after this failure; null when it may not. */
export function changeReason(failure: ModelFailure): CooldownReason | null {
  switch (failure.kind) {
    case "rate_limited":
      return "rate_limited";
    case "transient":
      if (failure.isTimeout === true) return "timeout";
      if (OVERLOADED.includes(failure.status)) return "overloaded";
      return failure.status === null ? "connection" : "server_error";
    case "permanent":
      // The provider's quota or credit is used up.
      return failure.status === 429 ? "rate_limited" : null;
    case "too_long":
    case "over_budget":
    case "aborted":
      return null;
    default:
      return failure satisfies never;
  }
}

export const retryAfterOf = (failure: ModelFailure): number | null =>
  failure.kind === "rate_limited" || failure.kind === "transient" ? failure.retryAfterS : null;
