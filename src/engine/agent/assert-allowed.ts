import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import type { ModelRules } from "../model/model-rules.ts";
import type { AgentProfiles } from "./agent-profiles.ts";
import type { AllowedAgentsAndTools } from "./allowed-agents-and-tools.ts";

/** Throws for a turn whose agent or model the product's policy does not allow, or whose model the engine does not have. */
export const allowedAssertion =
  (
    profiles: AgentProfiles,
    { rules, allowed }: { readonly rules: ModelRules; readonly allowed: AllowedAgentsAndTools },
  ) =>
  ({
    agent = DEFAULT_AGENT,
    model,
  }: {
    readonly agent?: string | undefined;
    readonly model?: string | undefined;
  }): void => {
    const denied = allowed.problemOf(agent);
    if (denied !== null) throw new EngineError("POLICY_DENIED", `agent: ${denied}`);
    const field = model === undefined ? "agent" : "model";
    const problem = rules.problemOf(rules.resolve(model ?? profiles(agent).model));
    if (problem?.kind === "unknown") throw new InvalidInput(field, problem.message);
    if (problem?.kind === "denied") throw new EngineError("POLICY_DENIED", `${field}: ${problem.message}`);
  };
