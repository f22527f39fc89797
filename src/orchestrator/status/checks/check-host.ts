import { join } from "node:path";
import { SECRET_FILES } from "../../../contract/orchestrator/data-dir.ts";
import type { HostCheck } from "../../../contract/orchestrator/host.ts";
import { failed, passed } from "../../../contract/orchestrator/host-check.ts";
import type { HostReport } from "../../../contract/orchestrator/records.ts";
import { exposedFiles } from "../../../shared/folder-health.ts";
import { VERSION } from "../../../shared/version.ts";
import type { Fleet, InFlight, Records, Runtime, Service, StartLimits } from "../../host-context.ts";
import { hostStatus } from "../host-status.ts";
import { checkBroker } from "./check-broker.ts";
import { checkCapacity } from "./check-capacity.ts";
import { checkDatabase } from "./check-database.ts";
import { checkEngines } from "./check-engines.ts";
import { checkPrices } from "./check-prices.ts";
import { checkSecrets } from "./check-secrets.ts";
import { checkSignIn } from "./check-sign-in.ts";
import { checkEmbeddings } from "./check-embeddings.ts";
import { checkToolHooks } from "./check-tool-hooks.ts";

/** All checks that `orchctl doctor` shows of a running daemon. Without the database, only those that do not need it. */
export async function checkHost(
  host: Records & Fleet & Pick<InFlight, "embeddings"> & StartLimits & Service & Runtime,
): Promise<HostReport> {
  const { dataDir, shownSettings } = host.settings;
  const database = await checkDatabase(host);
  const isReachable = database.every(({ name, status }) => name !== "database" || status !== "problem");
  return {
    version: VERSION,
    node: process.versions.node,
    settings: shownSettings,
    checks: [
      ...database,
      ...(isReachable ? await checkWithStatus(host) : []),
      ...(isReachable ? await checkPrices(host) : []),
      ...(await checkSignIn(host)),
      ...(await checkToolHooks(host)),
      ...checkEmbeddings(host),
      await checkPermissions(dataDir),
    ],
  };
}

async function checkWithStatus(host: Records & Fleet & StartLimits & Service & Runtime): Promise<readonly HostCheck[]> {
  const status = await hostStatus(host);
  return [
    ...(await checkCapacity(host, status)),
    ...(await checkEngines(host, status)),
    await checkBroker(host),
    ...(await checkSecrets(host)),
  ];
}

async function checkPermissions(dataDir: string): Promise<HostCheck> {
  const exposed = await exposedFiles(SECRET_FILES.map((name) => join(dataDir, name)));
  return exposed.length === 0
    ? passed("permissions", "only the daemon's user can read its keys")
    : failed("permissions", `other users can read ${exposed.join(", ")}`, `chmod 600 ${exposed.join(" ")}`);
}
