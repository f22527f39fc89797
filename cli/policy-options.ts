import { type Command, Option } from "commander";
import type { PolicyChanges } from "../src/client/admin-client.ts";
import { ATTACHMENT_KINDS, type AttachmentKind } from "../src/contract/attachment-records.ts";
import { engineEnvProblems, isPlainSetting } from "../src/contract/engine-env.ts";
import { POLICY_ACTIONS, type PolicyAction } from "../src/contract/orchestrator-records.ts";
import { isProductSetting, isPublicSetting, productSettingNames } from "../src/contract/settings.ts";
import type { Budgets } from "../src/contract/budgets.ts";
import { budget } from "./budget-option.ts";
import { CliFailure } from "./exit-codes.ts";
import { duration, collected, hosts, interval, jsonObject, limit, names, ports, wholeNumber } from "./option-values.ts";
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
  readonly idleStop?: number;
  readonly memory?: number;
  readonly maxProcesses?: number;
  readonly disk?: number;
  readonly cpuWeight?: number;
  readonly toolNetwork?: "open" | "none" | readonly string[];
  readonly toolListen?: readonly number[];
  readonly attachmentMb?: number;
  readonly attachmentCount?: number;
  readonly attachmentKinds?: readonly string[];
  readonly budget?: Budgets;
  readonly maxSchedules?: number;
  readonly minScheduleInterval?: number;
  readonly pauseSchedules?: boolean;
  readonly resumeSchedules?: boolean;
  readonly engineEnv?: readonly string[];
  readonly unsetEngineEnv?: readonly string[];
}

/** The options of commands that set a policy. */
export function policyOptions(command: Command): Command {
  return command
    .option("--policy-file <file>", "the policy as JSON; other options override it; - is standard input")
    .option("--max-engines <n>", "maximum number of engines, or none for no limit", limit)
    .option("--requests-per-minute <n>", "maximum number of calls per minute, or none for no limit", limit)
    .option("--allow <actions>", `allowed actions, separated by commas: ${POLICY_ACTIONS.join(",")}`)
    .option("--suspend", "refuse every action")
    .addOption(new Option("--resume", "end the suspension").conflicts("suspend"))
    .option("--drain <time>", "how long a stop waits for running turns", duration)
    .option("--idle-stop <time>", "time without work after which an engine sleeps; 0s is never", duration)
    .option("--memory <mb>", "memory limit of an engine", wholeNumber)
    .option("--max-processes <n>", "maximum number of processes and threads of an engine", wholeNumber)
    .option("--disk <mb>", "size limit of an engine's folder", wholeNumber)
    .option("--cpu-weight <n>", "an engine's share of a busy CPU, 1 to 10000; the default is 100", wholeNumber)
    .option("--tool-network <hosts>", "what tools may connect to: open, none, or hosts separated by commas", hosts)
    .option("--tool-listen <ports>", "ports that tools may listen on, separated by commas, or none", ports)
    .option("--attachment-mb <mb>", "size limit of the attachments of one message; 0 allows none", wholeNumber)
    .option("--attachment-count <n>", "maximum number of attachments of one message", wholeNumber)
    .option(
      "--attachment-kinds <kinds>",
      `allowed attachments, separated by commas: ${ATTACHMENT_KINDS.join(",")}`,
      names,
    )
    .option(
      "--budget <limit>",
      "what engines may spend, such as engine.tokens_per_day=200000 or product.cost_per_month=50, and warn_at=0.8; those given replace all; none removes them",
      budget,
    )
    .option("--max-schedules <n>", "maximum number of schedules and webhooks of an engine", wholeNumber)
    .option("--min-schedule-interval <time>", "least time between two runs of a schedule", interval)
    .option("--pause-schedules", "start no run of a schedule or webhook")
    .addOption(new Option("--resume-schedules", "start runs again").conflicts("pauseSchedules"))
    .option(
      "--engine-env <setting>",
      "a setting of the engines: NAME=VALUE, NAME=@FILE (- is standard input), or NAME for the value of this environment variable; a secret such as LLM_API_KEY cannot be given as VALUE",
      collected,
    )
    .option("--unset-engine-env <name>", "remove a setting of the engines", collected);
}

/** The policy changes given by the options; empty without any. */
export async function readPolicy(options: PolicyOptions, settings: Settings): Promise<PolicyChanges> {
  const { policyFile, maxEngines, requestsPerMinute, allow, suspend, resume, drain, memory } = options;
  const { maxProcesses, disk, cpuWeight, toolNetwork, toolListen } = options;
  const { attachmentMb, attachmentCount, attachmentKinds } = options;
  const engineEnv: Record<string, string | null> = {};
  for (const name of options.engineEnv ?? []) Object.assign(engineEnv, await readEngineEnv(name, settings));
  for (const name of options.unsetEngineEnv ?? []) engineEnv[name] = null;
  return {
    ...(policyFile !== undefined && (await jsonObject("--policy-file", policyFile))),
    ...(maxEngines !== undefined && { max_engines: orNull(maxEngines) }),
    ...(requestsPerMinute !== undefined && { requests_per_minute: orNull(requestsPerMinute) }),
    // The daemon refuses unknown actions.
    ...(allow !== undefined && { allowed_actions: allow.split(",").filter(Boolean) as PolicyAction[] }),
    ...(suspend && { suspended: true }),
    ...(resume && { suspended: false }),
    ...(drain !== undefined && { drain_s: drain }),
    ...(options.idleStop !== undefined && { idle_stop_s: options.idleStop }),
    ...(memory !== undefined && { memory_mb: memory }),
    ...(maxProcesses !== undefined && { max_processes: maxProcesses }),
    ...(disk !== undefined && { disk_mb: disk }),
    ...(cpuWeight !== undefined && { cpu_weight: cpuWeight }),
    ...(toolNetwork !== undefined && { tool_network: toolNetwork }),
    ...(toolListen !== undefined && { tool_listen: toolListen }),
    ...(attachmentMb !== undefined && { attachment_mb: attachmentMb }),
    ...(attachmentCount !== undefined && { attachment_count: attachmentCount }),
    // The daemon refuses unknown kinds.
    ...(attachmentKinds !== undefined && { attachment_kinds: attachmentKinds as AttachmentKind[] }),
    ...(options.budget !== undefined && { budgets: options.budget }),
    ...(options.maxSchedules !== undefined && { max_schedules: options.maxSchedules }),
    ...(options.minScheduleInterval !== undefined && { min_schedule_interval_s: options.minScheduleInterval }),
    ...(options.pauseSchedules && { schedules_paused: true }),
    ...(options.resumeSchedules && { schedules_paused: false }),
    ...(Object.keys(engineEnv).length > 0 && { engine_env: engineEnv }),
  };
}

const orNull = (limit: number | "none"): number | null => (limit === "none" ? null : limit);

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
