import { Agent } from "node:http";
import { type Call, call, end, freePort, untilHealthy } from "../measure.ts";
import { type Row, difference } from "../report.ts";
import type { Site } from "../site.ts";
import { firstEvent } from "./streams.ts";

const ROUNDS = 300;
const TURNS = 100;
/** Both ways run so often before they are measured: until then the compiler is at work. */
const WARM_UP = 50;

/** The same calls at the daemon that leads, and at a replica that follows it. */
export async function follower(site: Site): Promise<readonly Row[]> {
  await site.stopDaemon("SIGTERM");
  await site.startDaemon({ ORCH_REPLICA_URL: site.url });
  const engine = await site.provision("followed");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const replica = site.launchDaemon(site.dataDir, port, { ORCH_REPLICA_URL: url });
  await untilHealthy(`${url}/ready`, (body) => body.includes('"follower"'));
  const agent = new Agent({ keepAlive: true });
  const calls = await both(ROUNDS, [url, site.url], (daemon) =>
    answerMs(`${daemon}/engines/followed`, { headers: site.platform, agent }),
  );
  const turns = await both(TURNS, [url, site.url], (daemon) =>
    firstEvent(`${daemon}/e/${engine.id}/execute`, {
      method: "POST",
      headers: { "x-engine-key": engine.engine_api_key },
      body: { task_id: crypto.randomUUID(), message: "/say Hello." },
    }),
  );
  agent.destroy();
  await end(replica, "SIGTERM");
  await site.destroy("followed");
  await site.stopDaemon("SIGTERM");
  await site.startDaemon();
  const aim = "≤ 1 ms more";
  return [
    difference("GET /engines/{user_id} through a follower, against the leader", { ...calls, unit: "ms", aim }),
    difference("first event of a turn through a follower's gateway, against the leader's", {
      ...turns,
      unit: "ms",
      aim,
    }),
  ];
}

/** Ours and theirs in turn. */
async function both(
  rounds: number,
  [ours, theirs]: readonly [string, string],
  measure: (daemon: string) => Promise<number>,
): Promise<{ readonly ours: readonly number[]; readonly theirs: readonly number[] }> {
  const took = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < rounds + WARM_UP; round++) {
    const [their, our] = [await measure(theirs), await measure(ours)];
    if (round < WARM_UP) continue;
    took.theirs.push(their);
    took.ours.push(our);
  }
  return took;
}

async function answerMs(url: string, request: Call): Promise<number> {
  const began = performance.now();
  const { status, body } = await call(url, request);
  if (status !== 200) throw new Error(`${url} answered ${status}: ${body}`);
  return performance.now() - began;
}
