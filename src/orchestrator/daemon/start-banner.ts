import { VERSION } from "../../shared/version.ts";
import type { Config } from "./config.ts";

/** What a person who just started the daemon wants to know: where things are, and what to type next. */
export function startBanner(
  config: Config,
  { url, database, adminKeyFile, adopted }: { url: string; database: string; adminKeyFile: string; adopted: number },
): string {
  const { LLM_PROVIDER: provider, LLM_API_KEY: key } = config.engineDefaults;
  const model =
    provider ??
    (key === undefined ? "sandbox (no key needed; set LLM_PROVIDER and LLM_API_KEY for a real one)" : "anthropic");
  const where = config.adminKey === undefined ? adminKeyFile : "from ORCH_ADMIN_KEY";
  const lines = [
    `orchd ${VERSION} is ready at ${url}`,
    `  data       ${config.dataDir}`,
    `  admin key  ${where}`,
    `  database   ${database}`,
    `  engines    ports ${config.portMin} to ${config.portMax}, ${adopted} running`,
    `  model      ${model}`,
    ...unfit(config),
    "",
    "Next, in another terminal:",
    ...exports(config, url),
    "  npx orchctl products register demo",
    "  npx orchctl engines provision alice",
    "  npx orchctl chat alice",
    "",
  ];
  return lines.join("\n");
}

/** It is no reason not to start: products may bring their own. */
function unfit({ unfitEngineDefaults: problems }: Config): string[] {
  if (problems.length === 0) return [];
  return [...problems, "engines start only for products whose engine_env gives it"].map(
    (line) => `             ${line}`,
  );
}

/** What the commands need to find this daemon when it is not where they look first. */
function exports(config: Config, url: string): string[] {
  const settings: string[] = [];
  if (url !== "http://127.0.0.1:7700") settings.push(`ORCH_URL=${url}`);
  if (config.dataDir !== config.usualDataDir && config.adminKey === undefined)
    settings.push(`ORCH_DATA_DIR=${config.dataDir}`);
  return settings.length === 0 ? [] : [`  export ${settings.join(" ")}`];
}
