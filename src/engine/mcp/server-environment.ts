import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

type Environment = Readonly<Record<string, string>>;

/** Environment of local tool servers: that of commands, and the host's configuration of package runners. */
export function serverEnvironment(
  command: Environment,
  { extraCaCerts }: { readonly extraCaCerts: string | null },
): Record<string, string> {
  const npmrc = hostNpmrc(command["PATH"] ?? "");
  return {
    ...command,
    npm_config_update_notifier: "false",
    ...(npmrc !== null && { npm_config_globalconfig: npmrc }),
    ...(extraCaCerts !== null && { NODE_EXTRA_CA_CERTS: extraCaCerts }),
  };
}

/**
 * The global npmrc of the npm on PATH, null without one. npm looks for it next to the Node.js that runs it, which may
 * be the daemon's own rather than the one npm was installed with.
 */
function hostNpmrc(path: string): string | null {
  const folder = path.split(delimiter).find((one) => one.startsWith("/") && existsSync(join(one, "npm")));
  if (folder === undefined) return null;
  const npmrc = join(dirname(realpathSync(folder)), "etc/npmrc");
  return existsSync(npmrc) ? npmrc : null;
}
