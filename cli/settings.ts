import { homedir } from "node:os";
import { join } from "node:path";
import { defaultDataDir } from "../src/kit/data-dir.ts";

/** What the environment says; every secret may come by file as well, and none ever as an argument. */
export interface Settings {
  readonly url: string;
  readonly adminKey: string | undefined;
  readonly adminKeyFile: string | undefined;
  readonly platformKey: string | undefined;
  readonly platformKeyFile: string | undefined;
  readonly engineKey: string | undefined;
  readonly product: string | undefined;
  /** Where a daemon on this machine keeps its admin key. */
  readonly dataDir: string;
  readonly configDir: string;
  readonly colour: boolean;
  /** Any variable, for a secret whose name the user gives. */
  readonly variable: (name: string) => string | undefined;
}

export function readSettings(): Settings {
  const env = process.env;
  const home = env["HOME"] || homedir();
  const uid = process.getuid?.() ?? -1;
  return {
    url: env["ORCH_URL"] || "http://127.0.0.1:7700",
    adminKey: env["ORCH_ADMIN_KEY"] || undefined,
    adminKeyFile: env["ORCH_ADMIN_KEY_FILE"] || undefined,
    platformKey: env["ORCH_PLATFORM_KEY"] || undefined,
    platformKeyFile: env["ORCH_PLATFORM_KEY_FILE"] || undefined,
    engineKey: env["ORCH_ENGINE_KEY"] || undefined,
    product: env["ORCH_PRODUCT"] || undefined,
    dataDir: env["ORCH_DATA_DIR"] || defaultDataDir({ uid, home, xdgDataHome: env["XDG_DATA_HOME"] }),
    configDir: env["ORCHCTL_CONFIG_DIR"] || join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "orchctl"),
    colour: process.stdout.isTTY && !env["NO_COLOR"],
    variable: (name) => env[name],
  };
}
