import { type Command, Option } from "commander";
import { POLICY_ACTIONS, type PolicyAction, type PolicyPatch } from "../src/contract/orchestrator-api.ts";
import { isPlainSetting } from "../src/contract/engine-env.ts";
import { CliFailure } from "./exit-codes.ts";
import { duration, gathered, jsonObject, limit, wholeNumber } from "./option-values.ts";
import { promptSecret, secretFromFile } from "./secret-input.ts";
import type { Settings } from "./settings.ts";

export interface PolicyOptions {
  readonly policyFile?: string;
  readonly maxEngines?: number | "none";
  readonly requestsPerMinute?: number | "none";
  readonly allow?: string;
  readonly suspend?: boolean;
  readonly resume?: boolean;
  readonly drain?: number;
  readonly memory?: number;
  readonly engineEnv?: readonly string[];
  readonly unsetEngineEnv?: readonly string[];
}

/** The options of commands that set a policy. */
export function policyOptions(command: Command): Command {
  return command
    .option("--policy-file <file>", "the policy as JSON, other options go before it; - is standard input")
    .option("--max-engines <n>", "engines at most, or none for no limit", limit)
    .option("--requests-per-minute <n>", "calls a minute at most, or none for no limit", limit)
    .option("--allow <actions>", `allowed actions, with commas between: ${POLICY_ACTIONS.join(",")}`)
    .option("--suspend", "refuse every action")
    .addOption(new Option("--resume", "take the suspension back").conflicts("suspend"))
    .option("--drain <time>", "how long a stop waits for running turns", duration)
    .option("--memory <mb>", "memory of an engine", wholeNumber)
    .option(
      "--engine-env <setting>",
      "a setting of the engines: NAME=VALUE, or NAME=@FILE (- is standard input), or NAME alone for the value of this variable of your environment; a secret such as LLM_API_KEY is not taken as VALUE",
      gathered,
    )
    .option("--unset-engine-env <name>", "take a setting of the engines back", gathered);
}

/** The policy that the options make; an empty one when none was given. */
export async function readPolicy(options: PolicyOptions, settings: Settings): Promise<PolicyPatch> {
  const { policyFile, maxEngines, requestsPerMinute, allow, suspend, resume, drain, memory } = options;
  const engineEnv: Record<string, string | null> = {};
  for (const name of options.engineEnv ?? []) Object.assign(engineEnv, await readEngineEnv(name, settings));
  for (const name of options.unsetEngineEnv ?? []) engineEnv[name] = null;
  return {
    ...(policyFile !== undefined && (await jsonObject("--policy-file", policyFile))),
    ...(maxEngines !== undefined && { max_engines: orNull(maxEngines) }),
    ...(requestsPerMinute !== undefined && { requests_per_minute: orNull(requestsPerMinute) }),
    // A word that is no action is refused by the daemon, which knows them all.
    ...(allow !== undefined && { allowed_actions: allow.split(",").filter(Boolean) as PolicyAction[] }),
    ...(suspend && { suspended: true }),
    ...(resume && { suspended: false }),
    ...(drain !== undefined && { drain_s: drain }),
    ...(memory !== undefined && { memory_mb: memory }),
    ...(Object.keys(engineEnv).length > 0 && { engine_env: engineEnv }),
  };
}

const orNull = (limit: number | "none"): number | null => (limit === "none" ? null : limit);

/** A secret never stands in the command itself: others could read it in the list of processes. */
async function readEngineEnv(option: string, { variable }: Settings): Promise<Record<string, string>> {
  const [, name = option, given] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
  if (given?.startsWith("@")) return { [name]: await secretFromFile(given.slice(1)) };
  if (given !== undefined) {
    if (isPlainSetting(name, given)) return { [name]: given };
    throw new CliFailure(
      "usage",
      `--engine-env ${name}: expected no value, which others could read in the list of processes; set the variable ${name} and give --engine-env ${name}, or ${name}=@FILE, or ${name}=@- for standard input`,
    );
  }
  const value = variable(name) ?? (await promptSecret(`${name}: `));
  if (value !== null) return { [name]: value };
  throw new CliFailure(
    "usage",
    `--engine-env ${name}: expected the variable ${name} to be set, or ${name}=@FILE, or ${name}=@- for standard input`,
  );
}
