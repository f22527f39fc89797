import type { OutputSchema } from "../../contract/engine/output-schema.ts";
import { SUBMIT_RESULT } from "../../contract/engine/tool-names.ts";
import { submitResultTool } from "../tools/submit-result.ts";
import type { AgentProfile, AgentProfiles } from "./agent-profiles.ts";
import type { NextStep, StepLog } from "./step-log.ts";

/** How often a model may correct its result, or give the one it ended without. */
const MAX_REPAIRS = 2;

export const ASK_FOR_RESULT = `[The engine asks for the result of the task: call ${SUBMIT_RESULT} with it now. Text alone is no result.]`;

/**
 * Profiles with the tool that submits the result. The same object for the same profile, so that requests stay the same
 * from call to call. `schema`: that of the call, in place of the agent's.
 */
export function resultProfiles(profiles: AgentProfiles, schema: OutputSchema | undefined): AgentProfiles {
  const known = new WeakMap<AgentProfile, AgentProfile>();
  return (...which) => {
    const profile = profiles(...which);
    const shown = known.get(profile) ?? withResult(profile, schema);
    known.set(profile, shown);
    return shown;
  };
}

function withResult(profile: AgentProfile, schema = profile.outputSchema): AgentProfile {
  if (schema === undefined) return profile;
  return { ...profile, ...profile.adding(submitResultTool(schema)), outputSchema: schema };
}

type ResultVerdict =
  | { readonly kind: "go_on" }
  /** The model has ended without a result. */
  | { readonly kind: "ask" }
  | {
      readonly kind: "over";
      readonly outcome:
        | { readonly kind: "completed"; readonly output: Readonly<Record<string, unknown>> }
        | {
            readonly kind: "errored";
            readonly code: "OUTPUT_INVALID";
            readonly message: string;
            readonly details: { readonly repairs: number };
          };
    };

/** What a turn with an output schema does before its next step. */
export function judgeResult(next: NextStep["kind"], log: StepLog): ResultVerdict {
  if (next === "settle_calls") return { kind: "go_on" };
  const output = log.result();
  if (output !== null) return { kind: "over", outcome: { kind: "completed", output } };
  const failures = log.failedResults();
  if (next === "done")
    return failures.length < MAX_REPAIRS ? { kind: "ask" } : invalid("the model ended without a result");
  return failures.length <= MAX_REPAIRS ? { kind: "go_on" } : invalid(failures.at(-1) ?? "");
}

const invalid = (problem: string): ResultVerdict => ({
  kind: "over",
  outcome: {
    kind: "errored",
    code: "OUTPUT_INVALID",
    message: `no result matches the output schema: ${problem}`,
    details: { repairs: MAX_REPAIRS },
  },
});
