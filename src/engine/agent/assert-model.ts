import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import type { ModelRules } from "../model/model-rules.ts";
import type { AgentProfiles } from "./agent-profiles.ts";

/** Throws for a turn whose model the engine does not have, or the product's policy does not allow. */
export const modelAssertion =
  (profiles: AgentProfiles, rules: ModelRules) =>
  ({
    agent = DEFAULT_AGENT,
    model,
  }: {
    readonly agent?: string | undefined;
    readonly model?: string | undefined;
  }): void => {
    const field = model === undefined ? "agent" : "model";
    const problem = rules.problemOf(rules.resolve(model ?? profiles(agent).model));
    if (problem?.kind === "unknown") throw new InvalidInput(field, problem.message);
    if (problem?.kind === "denied") throw new EngineError("POLICY_DENIED", `${field}: ${problem.message}`);
  };
