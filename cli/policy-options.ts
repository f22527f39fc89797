import { type Command, Option } from "commander";
import type { PolicyChanges } from "../src/client/admin-client.ts";
import { engineEnvProblems, isPlainSetting } from "../src/contract/engine/environment.ts";
import { isProductSetting, isPublicSetting, productSettingNames } from "../src/contract/settings/settings.ts";
import type { Budgets } from "../src/contract/orchestrator/budgets.ts";
import { budget } from "./budget-option.ts";
import { CliFailure } from "./exit-codes.ts";
import { collected, jsonObject } from "./option-values.ts";
import { fieldOptions } from "./policy-field-options.ts";
import { promptSecret, secretFromFile } from "./secret-input.ts";
import { type ToolHookOptions, readToolHook, toolHookOptions } from "./tool-hook-options.ts";
import type { Settings } from "./settings.ts";

/** The options by their attributes. Those of one field are read by its row. */
export interface PolicyOptions extends Readonly<Record<string, unknown>>, ToolHookOptions {
  readonly policyFile?: string;
  readonly suspend?: boolean;
  readonly suspendNow?: boolean;
  readonly resume?: boolean;
  readonly budget?: Budgets;
  readonly engineEnv?: readonly string[];
  readonly unsetEngineEnv?: readonly string[];
}

/** The options of commands that set a policy. */
export function policyOptions(command: Command): Command {
  command.option("--policy-file <file>", "the policy as JSON; other options override it; - is standard input");
  for (const { options } of fieldOptions()) for (const option of options) command.addOption(option);
  return toolHookOptions(command)
    .option("--suspend", "refuse every action and every new turn")
    .addOption(new Option("--suspend-now", "the same, and cancel running turns").conflicts("suspend"))
    .addOption(new Option("--resume", "end the suspension").conflicts(["suspend", "suspendNow"]))
    .option(
      "--budget <limit>",
      "what engines may spend, such as engine.tokens_per_day=200000 or product.cost_per_month=50, and warn_at=0.8; those given replace all; none removes them",
      budget,
    )
    .option(
      "--engine-env <setting>",
      "a setting of the engines: NAME=VALUE, NAME=@FILE (- is standard input), or NAME for the value of this environment variable; a secret such as LLM_API_KEY cannot be given as VALUE",
      collected,
    )
    .option("--unset-engine-env <name>", "remove a setting of the engines", collected);
}

/** The policy changes given by the options; empty without any. */
export async function readPolicy(options: PolicyOptions, settings: Settings): Promise<PolicyChanges> {
  const { policyFile, suspend, suspendNow, resume, budget: budgets } = options;
  const engineEnv: Record<string, string | null> = {};
  for (const name of options.engineEnv ?? []) Object.assign(engineEnv, await readEngineEnv(name, settings));
  for (const name of options.unsetEngineEnv ?? []) engineEnv[name] = null;
  const toolHook = readToolHook(options);
  const fields = fieldOptions().map(({ field, read }) => [field, read(options)] as const);
  return {
    ...(policyFile !== undefined && (await jsonObject("--policy-file", policyFile))),
    ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
    ...(suspend && { suspended: true, suspend: "drain" as const }),
    ...(suspendNow && { suspended: true, suspend: "now" as const }),
    ...(resume && { suspended: false }),
    ...(budgets !== undefined && { budgets }),
    ...(toolHook !== undefined && { tool_hook: toolHook }),
    ...(Object.keys(engineEnv).length > 0 && { engine_env: engineEnv }),
  };
}

/** Reads secrets from files or variables, since the process list shows the command line. */
async function readEngineEnv(option: string, { environment }: Settings): Promise<Record<string, string>> {
  const [, name = option, given] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
  if (given?.startsWith("@")) return { [name]: await secretFromFile(given.slice(1)) };
  if (given !== undefined) {
    if (isPlainSetting(name, given)) return { [name]: given };
    throw new CliFailure("usage", `--engine-env ${name}: ${problemOfTyped(name, given)}`);
  }
  const value = environment[name] ?? (await promptSecret(`${name}: `));
  if (value !== null) return { [name]: value };
  throw new CliFailure(
    "usage",
    `--engine-env ${name}: expected the variable ${name} to be set, or ${name}=@FILE, or ${name}=@- for standard input`,
  );
}

/** Checks the name first. Error messages do not repeat the value, which may be a secret. */
function problemOfTyped(name: string, value: string): string {
  if (!isProductSetting(name)) return `unknown setting; expected one of ${productSettingNames()}`;
  const [malformed] = engineEnvProblems({ [name]: value });
  if (malformed !== undefined) return malformed.problem;
  const secret = isPublicSetting(name)
    ? "a URL with credentials or a query holds a secret"
    : "the value may be a secret";
  return `${secret}, which others could read in the process list; set the variable ${name} and give --engine-env ${name}, or ${name}=@FILE, or ${name}=@- for standard input`;
}
