import { PROVIDERS, type ProviderName } from "../settings/engine-settings.ts";
import { providerOf } from "../settings/upstreams.ts";
import { EnvironmentReader } from "../../shared/environment.ts";

/** The name of an engine's program in `dist/`, without an extension. There is one for each provider. */
export const programName = (provider: ProviderName): string => `engine-${provider}`;

/** The names of all programs. */
export const PROGRAMS: readonly string[] = PROVIDERS.map(programName);

/** The program for an engine's settings. It reports settings that are invalid. */
export const programFor = (settings: Readonly<Record<string, string>>): string =>
  programName(providerOf(new EnvironmentReader(settings)));
