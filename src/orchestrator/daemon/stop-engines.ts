import { openDataFolder } from "./data-folder.ts";
import { openHost } from "./open-host.ts";
import { Readiness } from "../status/readiness.ts";
import { stopFleet } from "../recovery/stop-fleet.ts";
import type { StartOptions } from "./serve.ts";

/** `orchd --stop-engines`: ends every engine of this host and exits. */
export async function stopEngines(beginning: StartOptions): Promise<void> {
  const folder = await openDataFolder(beginning.config.dataDir, beginning.config);
  const onWait = () => {
    throw new Error("an orchd looks after this host's engines: stop it first (systemctl stop orchd)");
  };
  const opened = await openHost({
    ...beginning,
    folder,
    readiness: new Readiness(),
    onWait,
    onLoss: beginning.displaced,
  });
  if (opened === null) return;
  const { stopped, survived } = await stopFleet(opened.host);
  process.stderr.write(`orchd: ${stopped} engines stopped; the next start of orchd starts them again\n`);
  if (survived.length > 0) throw new Error(`these engines would not die: ${survived.join(", ")}`);
}
