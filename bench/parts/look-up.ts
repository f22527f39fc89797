import { cpuSeconds, end, startServer, throughput } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 5;
const WARM_UP = 1;
const LOAD = { seconds: 2, connections: 16 };
/** As many as a busy product looks up at a time. With one user, calls at the same moment would share one answer. */
const USERS = 200;

/** Authenticated look-ups a second, against one Express route with one indexed query. */
export async function lookUp(site: Site): Promise<readonly Row[]> {
  const { id } = await site.provision("looked-up-0");
  await site.query(
    `insert into engines
     select (jsonb_populate_record(engines, jsonb_build_object('id', 'eng_' || gen_random_uuid(),
       'user_id', 'looked-up-' || n, 'incarnation', gen_random_uuid(), 'state', 'stopped', 'desired_state', 'stopped',
       'handle', null, 'port', 40000 + n, 'uid', null))).*
     from engines, generate_series(1, $2::int) as n where id = $1`,
    [id, USERS - 1],
  );
  await site.query("analyze engines");
  const env = { DATABASE_URL: site.databaseUrl, PRODUCT_ID: site.productId };
  const bare = await startServer("bare-express.mjs", { env });
  const rates = { ours: [] as number[], theirs: [] as number[] };
  const cpu = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const theirs = await measure(bare.url, { pid: bare.child.pid ?? 0, headers: {} });
    const ours = await measure(site.url, { pid: site.daemonPid, headers: site.platform });
    if (round < WARM_UP) continue;
    rates.ours.push(ours.rate);
    rates.theirs.push(theirs.rate);
    cpu.ours.push(ours.cpuMs);
    cpu.theirs.push(theirs.cpuMs);
  }
  await end(bare.child);
  await site.query("delete from engines where user_id like 'looked-up-%' and id <> $1", [id]);
  await site.destroy("looked-up-0");
  return [
    row("authenticated GET /engines/{user_id}", { ...rates, unit: "/s", aim: "≥ 0.85" }),
    row("… CPU time of one", { ...cpu, unit: "ms", aim: "≤ 1.3" }),
  ];
}

async function measure(
  base: string,
  { pid, headers }: { readonly pid: number; readonly headers: Readonly<Record<string, string>> },
): Promise<{ readonly rate: number; readonly cpuMs: number }> {
  let calls = 0;
  const before = cpuSeconds(pid);
  const rate = await throughput(() => `${base}/engines/looked-up-${calls++ % USERS}`, { ...LOAD, headers });
  return { rate, cpuMs: ((cpuSeconds(pid) - before) * 1000) / calls };
}
