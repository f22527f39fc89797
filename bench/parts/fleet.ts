import { inParallel } from "../measure.ts";
import type { Row } from "../report.ts";
import type { Site } from "../site.ts";
import { adoption } from "./fleet-adoption.ts";
import { coldFleet } from "./fleet-cold.ts";
import { idleFleet } from "./fleet-idle.ts";
import { reboot } from "./fleet-reboot.ts";

const ENGINES = 200;
/** Calls that a client has open at a time. */
const CALLS = 50;

/** Two hundred engines: from cold, at rest, found again by a new daemon, and after a restart of their machine. */
export async function fleet(site: Site): Promise<readonly Row[]> {
  await site.stopDaemon("SIGTERM");
  await site.startDaemon();
  const users = Array.from({ length: ENGINES }, (_, index) => `fleet-${index}`);
  const cold = await coldFleet(site, { users, calls: CALLS });
  const rows = [
    ...cold.rows,
    ...(await idleFleet(site, ENGINES)),
    ...(await adoption(site, ENGINES)),
    ...(await reboot(site, { engines: ENGINES, floorS: cold.floorS })),
  ];
  // The parts after this one have the machine for themselves.
  await inParallel(users, CALLS, (user) => site.destroy(user));
  return rows;
}
