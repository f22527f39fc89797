import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

type Environment = Readonly<Record<string, string>>;

/**
 * What local tool servers inherit: a command's environment, and what package runners need beside it. Their caches are
 * in the engine's data, not among the files of its user.
 */
export function serverEnvironment(
  command: Environment,
  { dataDir, extraCaCerts }: { readonly dataDir: string; readonly extraCaCerts: string | null },
): Record<string, string> {
  const cache = join(dataDir, "cache");
  const npmrc = hostNpmrc(command["PATH"] ?? "");
  return {
    ...command,
    XDG_CACHE_HOME: cache,
    npm_config_cache: join(cache, "npm"),
    npm_config_update_notifier: "false",
    ...(npmrc !== null && { npm_config_globalconfig: npmrc }),
    ...(extraCaCerts !== null && { NODE_EXTRA_CA_CERTS: extraCaCerts }),
  };
}

/**
 * The global npmrc of the npm on PATH, null without one. npm looks for it beside the Node.js that runs it, which need
 * not be the one that npm was installed with: the daemon's own may come first.
 */
function hostNpmrc(path: string): string | null {
  const folder = path.split(delimiter).find((one) => one.startsWith("/") && existsSync(join(one, "npm")));
  if (folder === undefined) return null;
  const npmrc = join(dirname(realpathSync(folder)), "etc/npmrc");
  return existsSync(npmrc) ? npmrc : null;
}
