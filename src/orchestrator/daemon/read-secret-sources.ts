import { isAbsolute } from "node:path";
import { isSetting } from "../../contract/settings/settings.ts";
import type { EnvironmentReader } from "../../shared/environment.ts";
import type { SecretSources } from "../secrets/read-source.ts";

/** Of the variables whose values secrets of products may be. */
const PREFIX = "SECRET_VALUE_";

/** What the operator lets secrets of products be read from. */
export function readSecretSources(
  read: EnvironmentReader,
  env: Readonly<Record<string, string | undefined>>,
): SecretSources {
  const folder = read.text("ORCH_SECRETS_DIR") ?? null;
  if (folder !== null && !isAbsolute(folder))
    read.problem(`ORCH_SECRETS_DIR: expected an absolute path, got "${folder}"`);
  const command = read.text("ORCH_SECRETS_COMMAND")?.trim().split(/\s+/) ?? null;
  if (command !== null && !isAbsolute(command[0] ?? ""))
    read.problem(`ORCH_SECRETS_COMMAND: expected the absolute path of a program, got "${command[0]}"`);
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    variables: Object.fromEntries(
      given.flatMap(([name, value]) => (name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value]] : [])),
    ),
    folder,
    command,
    environment: Object.fromEntries(given.filter(([name]) => !isSetting(name) && !name.startsWith(PREFIX))),
  };
}
