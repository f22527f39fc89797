import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeLaunch } from "../../src/contract/engine/launch.ts";
import { findOrphans } from "../../src/orchestrator/fleet/process/find-processes.ts";
import { call, end, floor, freePort, start, untilHealthy } from "../measure.ts";
import { type Row, row } from "../report.ts";
import { type Site, installDir } from "../site.ts";
import { NOT_ISOLATED } from "../../src/contract/engine/launch-file.ts";

const ROUNDS = 9;
const WARM_UP = 1;
/** An engine healthy for ten seconds starts again without delay. */
const STABLE_MS = 10_500;
/** An engine goes on loading when it has answered for the first time: the other one must not meet that. */
const SETTLE_MS = 500;

/**
 * From the KILL of a running engine until its next life answers, against a loop that starts the same program again.
 * Each engine and each loop is met once, when it has run for as long as any other.
 */
export async function crash(site: Site): Promise<readonly Row[]> {
  const users = Array.from({ length: ROUNDS + WARM_UP }, (_, index) => `crash-${index}`);
  const pairs = [];
  for (const user of users) pairs.push({ user, engine: await site.provision(user), bare: await startLoop(site, user) });
  await sleep(STABLE_MS);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (const { user, engine, bare } of pairs) {
    theirs.push(await crashed(pidOf(site, bare.life), bare.url));
    await sleep(SETTLE_MS);
    ours.push(await crashed(engine.pid, engine.url));
    await sleep(SETTLE_MS);
    // What is not measured any more would only be in the way.
    await end(bare.loop);
    process.kill(pidOf(site, bare.life), "SIGKILL");
    await site.destroy(user);
  }
  return [
    row("crash of an engine, KILL to healthy again", {
      ours: ours.slice(WARM_UP),
      theirs: theirs.slice(WARM_UP),
      unit: "ms",
      aim: "≤ 1.5",
    }),
  ];
}

async function crashed(pid: number, url: string): Promise<number> {
  const { body: before } = await call(`${url}/health`);
  const began = performance.now();
  process.kill(pid, "SIGKILL");
  await untilHealthy(`${url}/health`, (body) => incarnationIn(body) !== incarnationIn(before));
  return performance.now() - began;
}

const incarnationIn = (health: string): string => (JSON.parse(health) as { incarnation: string }).incarnation;

/** The same program with the same files, options and compile cache as the daemon's engines. */
async function startLoop(site: Site, user: string) {
  const port = await freePort();
  const life = `floor-${user}`;
  const dataDir = join(site.dataDir, life);
  mkdirSync(dataDir);
  const launchFile = join(site.runDir, `launch-${life}.json`);
  const launch = encodeLaunch({
    engine_id: life,
    incarnation: life,
    product: "bench",
    user_id: user,
    host: "127.0.0.1",
    port,
    data_dir: dataDir,
    keys: [],
    control_token: life,
    settings: {},
    extra_ca_certs: null,
    tool_network: "open",
    tool_listen: [],
    limits: { max_processes: 256, memory_mb: 1024, disk_mb: 2048 },
    isolation: NOT_ISOLATED,
  });
  writeFileSync(launchFile, launch, { mode: 0o600 });
  const loop = start([floor("respawn.mjs")], {
    LAUNCH_FILE: launchFile,
    NODE_COMPILE_CACHE: join(site.dataDir, "cache"),
    ENGINE_ENTRY: join(installDir, "bin/orch-engine.cjs"),
    ENGINE_LOG: join(dataDir, "engine.log"),
    ENGINE_OPTIONS: `--max-old-space-size=768 --snapshot-blob ${join(installDir, "dist/engine-sandbox.blob")}`,
  });
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(`${url}/health`);
  return { loop, url, life };
}

/** The engine that a loop has started. */
function pidOf(site: Site, life: string): number {
  const found = findOrphans({ runDir: site.runDir, cgroups: null }, []);
  const pid = found.find(({ incarnation }) => incarnation === life)?.pids[0];
  if (pid === undefined) throw new Error("the floor's engine does not run");
  return pid;
}
