import { type EngineConfig, readEngineSettings } from "../contract/settings/engine-settings.ts";
import { EnvironmentReader } from "../shared/environment.ts";

export { type EngineConfig, PROVIDERS, type ProviderName } from "../contract/settings/engine-settings.ts";

/** Reads the settings an engine was launched with; throws `InvalidSettings` with every problem. */
export function readEngineConfig(settings: Readonly<Record<string, string>>): EngineConfig {
  const read = new EnvironmentReader(settings);
  const config = readEngineSettings(read, (problem) => read.problem(problem));
  read.done();
  return config;
}
