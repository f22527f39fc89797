import { join } from "node:path";
import type { Test } from "tap";
import { sha256 } from "../../src/contract/orchestrator/api-keys.ts";
import type { Daemon } from "./daemon.ts";
import { type Ran, orchctlFor } from "./orchctl.ts";

/** `orchctl` with the settings of one daemon. */
export function orchctlOf(
  t: Test,
  env: Readonly<Record<string, string>>,
): (...args: readonly string[]) => Promise<Ran> {
  const orchctl = orchctlFor(t, { url: env["ORCH_URL"] ?? "http://127.0.0.1:1" });
  // A program that `backup` starts prints to the output of its process.
  return (...args) => orchctl(args, { env, ownProcess: true });
}

export const settingsOf = ({ dataDir, url, adminKey }: Daemon): Record<string, string> => ({
  ORCH_DATA_DIR: dataDir,
  ORCH_URL: url,
  ORCH_ADMIN_KEY: adminKey,
});

/** The folder that a destroy with `keep_data` kept for a user. */
export const keptFolderOf = (dataDir: string, productId: string, user: string): string =>
  join(dataDir, "kept", productId, sha256(user));
