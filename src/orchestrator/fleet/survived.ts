import type { Survived } from "./engine-backend.ts";
import { portFreed, portHolders } from "./port-check.ts";

/** systemd closes its copy of the socket after what it was told before. */
const PORT_FREE_MS = 5000;

export const survived = (pids: readonly number[]): Survived => ({
  kind: "survived",
  reason: `processes ${pids.join(", ")} survived SIGKILL`,
  data: { pids },
});

/** Who still listens on the port of a stopped engine: an escaped child or another program. */
export async function portConflict(host: string, port: number): Promise<Survived | null> {
  if (await portFreed(host, port, PORT_FREE_MS)) return null;
  const pids = portHolders(port);
  const who = pids.length === 0 ? "another program" : `process ${pids.join(", ")}`;
  return { kind: "survived", reason: `${who} listens on port ${port}`, data: { pids } };
}
