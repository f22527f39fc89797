import type { Command } from "commander";
import { POLICY_ACTIONS, type PolicyAction, type PolicyPatch } from "../src/contract/orchestrator-api.ts";
import { CliFailure } from "./exit-codes.ts";
import { promptSecret, secretFromFile } from "./secret-input.ts";
import type { Settings } from "./settings.ts";

export interface PolicyOptions {
  readonly policyFile?: string;
  readonly maxEngines?: string;
  readonly requestsPerMinute?: string;
  readonly allow?: string;
  readonly suspend?: boolean;
  readonly resume?: boolean;
  readonly drain?: string;
  readonly memory?: string;
  readonly engineEnv?: readonly string[];
  readonly unsetEngineEnv?: readonly string[];
}

/** The options of commands that set a policy. */
export function policyOptions(command: Command): Command {
  const gather = (value: string, before: readonly string[] = []) => [...before, value];
  return command
    .option("--policy-file <file>", "the policy as JSON; - is standard input")
    .option("--max-engines <n>", "engines at most, or none for no limit")
    .option("--requests-per-minute <n>", "calls a minute at most, or none for no limit")
    .option("--allow <actions>", `allowed actions, with commas between: ${POLICY_ACTIONS.join(",")}`)
    .option("--suspend", "refuse every action")
    .option("--resume", "take the suspension back")
    .option("--drain <seconds>", "how long a stop waits for running turns")
    .option("--memory <mb>", "memory of an engine")
    .option(
      "--engine-env <name>",
      "a setting of the engines, such as LLM_API_KEY; its value comes from this variable of your environment, or is asked for; NAME=@FILE reads it from a file",
      gather,
    )
    .option("--unset-engine-env <name>", "take a setting of the engines back", gather);
}

export async function readPolicy(options: PolicyOptions, settings: Settings): Promise<PolicyPatch> {
  const fromFile =
    options.policyFile === undefined ? {} : readJson(await secretFromFile(options.policyFile), options.policyFile);
  const engineEnv: Record<string, string | null> = {};
  for (const name of options.engineEnv ?? []) Object.assign(engineEnv, await readEngineEnv(name, settings));
  for (const name of options.unsetEngineEnv ?? []) engineEnv[name] = null;
  return {
    ...fromFile,
    ...(options.maxEngines !== undefined && { max_engines: limit(options.maxEngines, "--max-engines") }),
    ...(options.requestsPerMinute !== undefined && {
      requests_per_minute: limit(options.requestsPerMinute, "--requests-per-minute"),
    }),
    ...(options.allow !== undefined && { allowed_actions: options.allow.split(",").filter(Boolean) as PolicyAction[] }),
    ...(options.suspend && { suspended: true }),
    ...(options.resume && { suspended: false }),
    ...(options.drain !== undefined && { drain_s: whole(options.drain, "--drain") }),
    ...(options.memory !== undefined && { memory_mb: whole(options.memory, "--memory") }),
    ...(Object.keys(engineEnv).length > 0 && { engine_env: engineEnv }),
  };
}

/** The value never stands in the command itself: others could read it in the list of processes. */
async function readEngineEnv(option: string, { variable }: Settings): Promise<Record<string, string>> {
  const [, name = option, file] = /^([^=]+)=@(.+)$/.exec(option) ?? [];
  if (name.includes("="))
    throw new CliFailure(
      "usage",
      "--engine-env: expected NAME or NAME=@FILE; a value in a command can be read by others",
    );
  const value = file !== undefined ? await secretFromFile(file) : (variable(name) ?? (await promptSecret(`${name}: `)));
  if (value === null)
    throw new CliFailure("usage", `--engine-env ${name}: expected the variable ${name} to be set, or ${name}=@FILE`);
  return { [name]: value };
}

const limit = (text: string, option: string): number | null => (text === "none" ? null : whole(text, option));

function whole(text: string, option: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CliFailure("usage", `${option}: expected a whole number, got ${JSON.stringify(text)}`);
}

function readJson(text: string, file: string): PolicyPatch {
  try {
    return JSON.parse(text) as PolicyPatch;
  } catch (error) {
    throw new CliFailure(
      "usage",
      `--policy-file ${file}: expected JSON (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}
