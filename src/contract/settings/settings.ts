import { AGENT_SETTINGS } from "./agent-settings.ts";
import { CONSOLE_SETTINGS } from "./console-settings.ts";
import { DAEMON_SETTINGS } from "./daemon-settings.ts";
import { PROVIDER_SETTINGS } from "./provider-settings.ts";
import { SECRET_SETTINGS } from "./secret-settings.ts";
import type { SettingRow, SettingScope } from "./setting-row.ts";

export { ENGINE_LOG_LEVELS, PROVIDERS, TITLES } from "./agent-settings.ts";
export { ISOLATION_MODES } from "./daemon-settings.ts";
export type { SettingRow, SettingScope } from "./setting-row.ts";

/** Every setting. Validation, the names in a policy, `orchd.env.example` and the documents derive from it. */
export const SETTINGS = {
  ...DAEMON_SETTINGS,
  ...SECRET_SETTINGS,
  ...CONSOLE_SETTINGS,
  ...AGENT_SETTINGS,
  ...PROVIDER_SETTINGS,
};
export type SettingName = keyof typeof SETTINGS;

const ROWS = Object.entries<SettingRow>(SETTINGS);

/** Names of the settings of these scopes, in the order of the table. */
export const settingNames = (...scopes: readonly SettingScope[]): readonly string[] =>
  ROWS.filter(([, { scope }]) => scopes.includes(scope)).map(([name]) => name);

/** In addition to the rows any `LLM_*`, since a provider may have its own settings. */
const LLM_NAME = /^LLM_[A-Z0-9_]{1,60}$/;

/** Whether a product's `engine_env` may set it. */
export const isProductSetting = (name: string): boolean =>
  LLM_NAME.test(name) || settingNames("product").includes(name);

/** Whether the daemon passes it from its environment to engines. */
export const isEngineSetting = (name: string): boolean =>
  isProductSetting(name) || settingNames("operator").includes(name);

/** The names that {@link isProductSetting} accepts, for an error message. */
export const productSettingNames = (): string =>
  ["LLM_*", ...settingNames("product").filter((name) => !LLM_NAME.test(name))].join(", ");

/** Whether a variable of the environment is a setting of the daemon or of engines. */
export const isSetting = (name: string): boolean => LLM_NAME.test(name) || ROWS.some(([known]) => known === name);

/** Variables of the same form that `orchctl` and the examples read. */
const CLIENT_VARIABLES = [
  "ORCH_URL",
  "ORCH_PRODUCT",
  "ORCH_ADMIN_KEY_FILE",
  "ORCH_PLATFORM_KEY",
  "ORCH_PLATFORM_KEY_FILE",
  "ORCH_ENGINE_KEY",
];

/** Settings of earlier releases, which have no effect any more. */
const RETIRED = ["EMBEDDING_MODEL"];

/** Names of the environment that look like settings of the daemon and are none, such as a mistyped one. */
export const unknownSettings = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.keys(env).filter(
    (name) =>
      RETIRED.includes(name) || (name.startsWith("ORCH_") && !isSetting(name) && !CLIENT_VARIABLES.includes(name)),
  );

/** Whether its value may be shown: it has a row and is no secret. */
export const isPublicSetting = (name: string): boolean =>
  ROWS.some(([known, { secret }]) => known === name && secret !== true);
