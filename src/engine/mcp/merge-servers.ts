import { NO_SERVERS, type ServersConfig } from "./server-config.ts";

/** The servers of several files. An entry replaces that of its name in an earlier one, also when it is invalid. */
export function mergeServers(configs: readonly ServersConfig[]): ServersConfig {
  return configs.reduce((below, above) => {
    const own = new Set([...above.servers, ...above.errors].map(({ name }) => name).concat(above.disabled));
    const kept = <T extends { readonly name: string | null }>(ones: readonly T[]) =>
      ones.filter(({ name }) => name === null || !own.has(name));
    return {
      servers: [...kept(below.servers), ...above.servers],
      errors: [...kept(below.errors), ...above.errors],
      disabled: above.disabled,
    };
  }, NO_SERVERS);
}
