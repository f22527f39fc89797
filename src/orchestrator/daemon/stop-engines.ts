import { openDataFolder } from "./data-folder.ts";
import { openIsolation } from "./isolation.ts";
import { openHost } from "./open-host.ts";
import { Readiness } from "../status/readiness.ts";
import { stopFleet } from "../recovery/stop-fleet.ts";
import type { StartOptions } from "./serve.ts";

/** `orchd --stop-engines`: stops every engine of this host. Tested in test/end-to-end/host.test.ts. */
export async function stopEngines(options: StartOptions): Promise<void> {
  const folder = await openDataFolder(options.config.dataDir, options.config);
  const onWait = () => {
    throw new Error("another orchd holds this host; stop it first (systemctl stop orchd)");
  };
  const isolation = await openIsolation(options);
  const opened = await openHost({
    ...options,
    folder,
    isolation,
    readiness: new Readiness(),
    onWait,
    onLoss: options.takenOver,
  });
  if (opened === null) return;
  const { stopped, survived } = await stopFleet(opened.host);
  process.stderr.write(`orchd: ${stopped} engines stopped; the next start of orchd restarts them\n`);
  if (survived.length > 0) throw new Error(`these engines survived SIGKILL: ${survived.join(", ")}`);
}
