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
  const text = (name: string) => env[name] || undefined;
  const configHome = text("XDG_CONFIG_HOME") ?? join(text("HOME") ?? homedir(), ".config");
  // As the daemon reads them, so that both look in one place.
  const usualDataDir = defaultDataDir({
    uid: process.getuid?.() ?? -1,
    home: env["HOME"],
    xdgDataHome: env["XDG_DATA_HOME"],
  });
  return {
    url: text("ORCH_URL") ?? "http://127.0.0.1:7700",
    adminKey: text("ORCH_ADMIN_KEY"),
    adminKeyFile: text("ORCH_ADMIN_KEY_FILE"),
    platformKey: text("ORCH_PLATFORM_KEY"),
    platformKeyFile: text("ORCH_PLATFORM_KEY_FILE"),
    engineKey: text("ORCH_ENGINE_KEY"),
    product: text("ORCH_PRODUCT"),
    dataDir: text("ORCH_DATA_DIR") ?? usualDataDir,
    configDir: text("ORCHCTL_CONFIG_DIR") ?? join(configHome, "orchctl"),
    colour: process.stdout.isTTY && text("NO_COLOR") === undefined,
    variable: text,
  };
}
