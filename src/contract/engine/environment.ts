import { EnvironmentReader, InvalidSettings } from "../../shared/environment.ts";
import { readEngineSettings } from "../settings/engine-settings.ts";
import { EMBEDDINGS } from "../settings/embeddings-endpoint.ts";
import { isPublicSetting, isSetting } from "../settings/settings.ts";

/** Whether a setting's value may be shown. An address can carry a password or a key. */
export function isPlainSetting(name: string, value: string): boolean {
  if (!isPublicSetting(name)) return false;
  if (!name.endsWith("_BASE_URL") && name !== EMBEDDINGS.url) return true;
  const url = URL.parse(value);
  return url !== null && url.username + url.password + url.search + url.hash === "";
}

/** The values of a product's engine settings that may be read back. */
export const plainSettings = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name, value]) => isPlainSetting(name, value)));

/** The settings of an environment, with `(set)` for a value that may not be shown. */
export const shownSettings = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env)
      .filter((entry): entry is [string, string] => Boolean(entry[1]) && isSetting(entry[0]))
      .map(([name, value]) => [name, isPlainSetting(name, value) ? value : "(set)"]),
  );

interface SettingProblem {
  readonly name: string;
  readonly problem: string;
}

/** The invalid settings, by the engine's own rules. Missing settings are no problem. */
export function engineEnvProblems(env: Readonly<Record<string, string | null>>): readonly SettingProblem[] {
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== null);
  const read = new EnvironmentReader(Object.fromEntries(given));
  readEngineSettings(read, () => undefined);
  try {
    read.done();
    return [];
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error;
    return error.problems.map((text) => {
      const [name = "", ...rest] = text.split(": ");
      return { name, problem: rest.join(": ") };
    });
  }
}
