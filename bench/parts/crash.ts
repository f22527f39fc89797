import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeLaunch } from "../../src/contract/engine-launch.ts";
import { findOrphans } from "../../src/orchestrator/fleet/find-orphans.ts";
import { call, end, floor, freePort, start, untilHealthy } from "../measure.ts";
import { type Row, row } from "../report.ts";
import { type Site, installDir } from "../site.ts";

const ROUNDS = 11;
const WARM_UP = 1;
/** An engine healthy for ten seconds starts again without delay. */
const STABLE_MS = 10_500;
const FLOOR_LIFE = "floor";

/** From the KILL of a running engine until its next life answers, against a loop that starts the same program again. */
export async function crash(site: Site): Promise<readonly Row[]> {
  const users = Array.from({ length: ROUNDS + WARM_UP }, (_, index) => `crash-${index}`);
  const engines = [];
  for (const user of users) engines.push(await site.provision(user));
  const bare = await startLoop(site);
  await sleep(STABLE_MS);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (const { pid, url } of engines) {
    theirs.push(await crashed(pidOfFloor(site), bare.url));
    ours.push(await crashed(pid, url));
  }
  await end(bare.loop);
  process.kill(pidOfFloor(site), "SIGKILL");
  for (const user of users) await site.destroy(user);
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
async function startLoop(site: Site) {
  const port = await freePort();
  const dataDir = join(site.dataDir, FLOOR_LIFE);
  mkdirSync(dataDir);
  const launchFile = join(site.runDir, `launch-${FLOOR_LIFE}.json`);
  const launch = encodeLaunch({
    engine_id: FLOOR_LIFE,
    incarnation: FLOOR_LIFE,
    product: "bench",
    user_id: FLOOR_LIFE,
    host: "127.0.0.1",
    port,
    data_dir: dataDir,
    keys: [],
    control_token: FLOOR_LIFE,
    settings: {},
    extra_ca_certs: null,
  });
  writeFileSync(launchFile, launch, { mode: 0o600 });
  const loop = start([floor("respawn")], {
    LAUNCH_FILE: launchFile,
    NODE_COMPILE_CACHE: join(site.dataDir, "cache"),
    ENGINE_ENTRY: join(installDir, "bin/orch-engine.cjs"),
    ENGINE_LOG: join(dataDir, "engine.log"),
    ENGINE_OPTIONS: "--max-old-space-size=768",
  });
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(`${url}/health`);
  return { loop, url };
}

function pidOfFloor(site: Site): number {
  const found = findOrphans({ runDir: site.runDir, cgroups: null }, new Set());
  const pid = found.find(({ incarnation }) => incarnation === FLOOR_LIFE)?.pids[0];
  if (pid === undefined) throw new Error("the floor's engine does not run");
  return pid;
}
