import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { defaultDataDir } from "../src/contract/orchestrator/data-dir.ts";
import { hasCode } from "../src/shared/error-code.ts";
import { CliFailure } from "./exit-codes.ts";
import { layoutOf, parseEnvironment } from "./release/release-layout.ts";

/** Settings from the environment. A secret can be given by variable or file, never as an argument. */
export interface Settings {
  readonly url: string;
  readonly adminKey: string | undefined;
  readonly adminKeyFile: string | undefined;
  readonly platformKey: string | undefined;
  readonly platformKeyFile: string | undefined;
  readonly engineKey: string | undefined;
  readonly product: string | undefined;
  /** The data folder of a daemon on this machine, with its admin key. */
  readonly dataDir: string;
  /** The folder of this installation, with the daemon's program. */
  readonly installDir: string;
  readonly configDir: string;
  readonly colour: boolean;
  /** All variables: for secrets by a name that the user gives, and for the redaction of bundles. */
  readonly environment: Readonly<Record<string, string>>;
}

export function readSettings(installDir: string): Settings {
  const env = { ...serviceSettings(installDir), ...process.env };
  const text = (name: string) => env[name] || undefined;
  const configHome = text("XDG_CONFIG_HOME") ?? join(text("HOME") ?? homedir(), ".config");
  // By the daemon's own rule, so that both use one folder.
  const localDataDir = defaultDataDir({
    uid: process.getuid?.() ?? -1,
    home: env["HOME"],
    xdgDataHome: env["XDG_DATA_HOME"],
  });
  return {
    url: text("ORCH_URL") ?? daemonUrl({ host: text("ORCH_HOST"), port: text("ORCH_PORT") }),
    adminKey: text("ORCH_ADMIN_KEY"),
    adminKeyFile: text("ORCH_ADMIN_KEY_FILE"),
    platformKey: text("ORCH_PLATFORM_KEY"),
    platformKeyFile: text("ORCH_PLATFORM_KEY_FILE"),
    engineKey: text("ORCH_ENGINE_KEY"),
    product: text("ORCH_PRODUCT"),
    dataDir: text("ORCH_DATA_DIR") ?? localDataDir,
    installDir,
    configDir: text("ORCHCTL_CONFIG_DIR") ?? join(configHome, "orchctl"),
    colour: process.stdout.isTTY && text("NO_COLOR") === undefined,
    environment: Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])),
    ),
  };
}

/** The settings of the service, for root with the installed release. */
function serviceSettings(installDir: string): Readonly<Record<string, string>> {
  const { current, environment } = layoutOf("/");
  if (process.getuid?.() !== 0) return {};
  try {
    return realpathSync(current) === realpathSync(installDir)
      ? parseEnvironment(readFileSync(environment, "utf8"))
      : {};
  } catch (error) {
    if (hasCode(error, "ENOENT")) return {};
    throw error;
  }
}

/** The URL of a daemon with these settings. A wildcard address becomes the loopback address. */
export function daemonUrl({
  host = "127.0.0.1",
  port = "7700",
}: {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
}): string {
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw new CliFailure("usage", `ORCH_PORT: expected an integer from 1 to 65535, got ${JSON.stringify(port)}`);
  }
  const local = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${local.includes(":") ? `[${local}]` : local}:${Number(port)}`;
}
