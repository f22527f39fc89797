import { VERSION } from "../../shared/version.ts";
import type { Isolation } from "../../contract/orchestrator/records.ts";
import type { Config } from "./config.ts";
import { takesHostPorts } from "./takes-host-ports.ts";

/** The text for the terminal after the start: locations, warnings and the next commands. */
export function startBanner(
  config: Config,
  {
    url,
    database,
    isolation,
    adminKeyFile,
    adopted,
    isRelease,
  }: {
    readonly url: string;
    readonly database: string;
    readonly isolation: Isolation;
    readonly adminKeyFile: string;
    readonly adopted: number;
    /** Whether the program is part of a release: its `orchctl` is in the path and has the settings of the service. */
    readonly isRelease: boolean;
  },
): string {
  const { LLM_PROVIDER: provider, LLM_API_KEY: key } = config.engineDefaults;
  const model =
    provider ??
    (key === undefined ? "sandbox (no key needed; set LLM_PROVIDER and LLM_API_KEY for a real one)" : "anthropic");
  const where = config.adminKey === undefined ? adminKeyFile : "from ORCH_ADMIN_KEY";
  const lines = [
    `orchd ${VERSION} is ready at ${url}`,
    `  console    ${config.publicUrl ?? url}/console`,
    `  data       ${config.dataDir}`,
    `  admin key  ${where}`,
    `  database   ${database}`,
    `  engines    ${takesHostPorts(config) ? `ports ${config.portMin} to ${config.portMax}, ` : ""}${adopted} running`,
    `  isolation  ${describeIsolation(isolation)}`,
    `  model      ${model}`,
    ...modelWarnings(config),
    "",
    "Next, in another terminal:",
    ...(isRelease ? [] : exports(config, url)),
    ...["products register demo", "engines provision alice", "chat alice", "console"].map(
      (command) => `  ${isRelease ? "sudo" : "npx"} orchctl ${command}`,
    ),
    "",
  ];
  return lines.join("\n");
}

/** The active and the missing parts of the isolation. */
function describeIsolation({ mode, parts }: Isolation): string {
  if (mode === "off") return "off: engines and their tools can reach what orchd can";
  const names = (active: boolean) => parts.filter((part) => part.active === active).map(({ name }) => name);
  const lacking = names(false).length === 0 ? "" : `; not ${names(false).join(", ")} (see orchctl status)`;
  return `${names(true).join(", ") || "none"}${lacking}`;
}

/** Warnings, not errors, since a product's `engine_env` may set the missing values. */
function modelWarnings({ engineDefaultProblems: problems }: Config): string[] {
  if (problems.length === 0) return [];
  return [...problems, "engines start only for products whose engine_env sets it"].map(
    (line) => `             ${line}`,
  );
}

/** The exports that orchctl needs when the address or the data folder is not the default. */
function exports(config: Config, url: string): string[] {
  const settings: string[] = [];
  if (url !== "http://127.0.0.1:7700") settings.push(`ORCH_URL=${url}`);
  if (config.dataDir !== config.defaultDataDir && config.adminKey === undefined)
    settings.push(`ORCH_DATA_DIR=${config.dataDir}`);
  return settings.length === 0 ? [] : [`  export ${settings.join(" ")}`];
}
