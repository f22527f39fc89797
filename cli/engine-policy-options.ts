import type { Command } from "commander";
import { ENGINE_POLICY_FIELDS, type PolicyLayer } from "../src/contract/orchestrator/engine-policy.ts";
import type { Budgets } from "../src/contract/orchestrator/budgets.ts";
import { budget } from "./budget-option.ts";
import { CliFailure } from "./exit-codes.ts";
import { jsonObject } from "./option-values.ts";
import { fieldOptions } from "./policy-field-options.ts";

export interface EnginePolicyOptions extends Readonly<Record<string, unknown>> {
  readonly policyFile?: string;
  readonly budget?: Budgets;
}

const LAYERED: ReadonlySet<string> = new Set(ENGINE_POLICY_FIELDS);
const layeredOptions = () => fieldOptions().filter(({ field }) => LAYERED.has(field));

/** The options of commands that set what plans and single engines may set. */
export function enginePolicyOptions(command: Command): Command {
  command.option("--policy-file <file>", "the fields as JSON; other options override it; - is standard input");
  for (const { options } of layeredOptions()) for (const option of options) command.addOption(option);
  return command.option(
    "--budget <limit>",
    "what each engine may spend, such as engine.tokens_per_day=200000 or engine.cost_per_month=20, and warn_at=0.8",
    budget,
  );
}

/** The fields given by the options; empty without any. */
export async function readEnginePolicy(options: EnginePolicyOptions): Promise<PolicyLayer> {
  const { policyFile, budget: budgets } = options;
  if (budgets !== undefined && Object.keys(budgets.product).length > 0)
    throw new CliFailure("usage", "--budget: expected budgets of engine; those of product are of the policy");
  const fields = layeredOptions().map(({ field, read }) => [field, read(options)] as const);
  return {
    ...(policyFile !== undefined && (await jsonObject("--policy-file", policyFile))),
    ...(Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as PolicyLayer),
    ...(budgets !== undefined && { budgets: { engine: budgets.engine, warn_at: budgets.warn_at } }),
  };
}
