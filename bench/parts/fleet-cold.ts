import { availableParallelism } from "node:os";
import { end, inParallel, startServer } from "../measure.ts";
import { type Row, loneRow, row } from "../report.ts";
import type { Site } from "../site.ts";

/** As many as the daemon starts at a time. */
const STARTS = Math.max(2, Math.floor(availableParallelism() / 2));

/** All engines provisioned by one client, against as many bare servers, started as many at a time as engines are. */
export async function coldFleet(
  site: Site,
  { users, calls }: { readonly users: readonly string[]; readonly calls: number },
): Promise<{ readonly rows: readonly Row[]; readonly floorS: number }> {
  const floorS = await bareServers(users);
  let refused = 0;
  const began = performance.now();
  await inParallel(users, calls, async (user) => {
    await site.provision(user, () => refused++);
  });
  const oursS = (performance.now() - began) / 1000;
  const rows = [
    row(`${users.length} engines from cold`, { ours: [oursS], theirs: [floorS], unit: "s", aim: "≤ 2.0" }),
    loneRow("… of their calls, told to come back", { value: refused, aim: "0" }),
  ];
  return { rows, floorS };
}

async function bareServers(users: readonly string[]): Promise<number> {
  const children: Awaited<ReturnType<typeof startServer>>["child"][] = [];
  const began = performance.now();
  await inParallel(users, STARTS, async () => {
    children.push((await startServer("bare-server.cjs")).child);
  });
  const took = (performance.now() - began) / 1000;
  await Promise.all(children.map((child) => end(child)));
  return took;
}
