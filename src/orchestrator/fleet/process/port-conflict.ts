import type { Survived } from "../engine-backend.ts";
import { portFreed, portHolders } from "./port-check.ts";

/** systemd handles the messages about kept sockets in order, so it closes its copy of the socket with a delay. */
const PORT_FREE_MS = 5000;

/** What still listens on the port of a stopped engine: an escaped child or another program. Null when nothing does. */
export async function portConflict(host: string, port: number): Promise<Survived | null> {
  if (await portFreed(host, port, PORT_FREE_MS)) return null;
  const pids = portHolders(port);
  const who = pids.length === 0 ? "another program" : `process ${pids.join(", ")}`;
  return { kind: "survived", reason: `${who} listens on port ${port}`, data: { pids } };
}
