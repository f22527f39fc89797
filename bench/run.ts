/**
 * Measures orchd beside the least program that could do the same, in one run: ratios hold when the machine is noisy,
 * milliseconds do not. Prints the table of bench/README.md.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createLogger } from "../src/kit/logger.ts";
import { startBundledPostgres } from "../src/orchestrator/postgres/start-bundled-postgres.ts";
import {
  type Call,
  call,
  end,
  endAll,
  freePort,
  median,
  open,
  residentMiB,
  start,
  throughput,
  untilHealthy,
} from "./measure.ts";

const installDir = resolve(import.meta.dirname, "..");
const floor = (name: string) => join(import.meta.dirname, "floor", `${name}.mjs`);
const ROUNDS = { cold: 15, lookUp: 5, stream: 12, memory: 3 };
/** Both sides run so often before they are measured: until then the compiler is at work. */
const STREAM_WARM_UP = 4;
const EVENTS = 20_000;

interface Row {
  readonly what: string;
  readonly ours: string;
  readonly floor: string;
  readonly ratio: string;
  readonly aim: string;
}

const dataDir = await mkdtemp(join(tmpdir(), "orchd-bench-"));
const postgres = await startBundledPostgres({ installDir, dataDir, logger: createLogger("bench", "silent") });
const { host, user, password, database, port: pgPort } = postgres.connection;
const databaseUrl = `postgres://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}&port=${pgPort}`;
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const adminKey = "bench-admin-key-0123456789";
start([join(installDir, "bin/orchd.js")], {
  ORCH_DATA_DIR: dataDir,
  ORCH_PORT: String(port),
  ORCH_ADMIN_KEY: adminKey,
  ORCH_LOG_LEVEL: "silent",
  DATABASE_URL: databaseUrl,
});
try {
  await untilHealthy(`${url}/ready`);
  const product = JSON.parse(
    (
      await call(`${url}/products/register`, {
        method: "POST",
        headers: { "x-admin-key": adminKey },
        body: { slug: "bench", policy: { requests_per_minute: null } },
      })
    ).body,
  ) as { id: string; platform_api_key: string };
  const platform = { "x-platform-key": product.platform_api_key };
  const rows = [
    await coldProvision(platform),
    await lookUp(platform, product.id),
    ...(await streams(platform)),
    await memory(platform),
  ];
  process.stdout.write("| what | orchd | floor | ratio | aim |\n| --- | --- | --- | --- | --- |\n");
  for (const row of rows)
    process.stdout.write(`| ${row.what} | ${row.ours} | ${row.floor} | ${row.ratio} | ${row.aim} |\n`);
} finally {
  await endAll();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** (a) From the call to the answer that carries a healthy engine's key, against starting a bare server. */
async function coldProvision(platform: Record<string, string>): Promise<Row> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS.cold + 2; round++) {
    const floorMs = await timed(() => bareServer());
    const began = performance.now();
    await provision(platform, `cold-${round}`);
    const oursMs = performance.now() - began;
    await destroy(platform, `cold-${round}`);
    // The first rounds fill caches that a machine fills once.
    if (round < 2) continue;
    ours.push(oursMs);
    theirs.push(floorMs);
  }
  return row("cold provision, call to healthy answer", { ours, theirs, unit: "ms", aim: "≤ 2.0" });
}

async function bareServer(): Promise<() => Promise<void>> {
  const barePort = await freePort();
  const child = start([floor("bare-server")], { PORT: String(barePort) });
  await untilHealthy(`http://127.0.0.1:${barePort}/health`);
  return () => end(child);
}

/** The time of a start, without that of its end. */
async function timed(begin: () => Promise<() => Promise<void>>): Promise<number> {
  const began = performance.now();
  const stop = await begin();
  const took = performance.now() - began;
  await stop();
  return took;
}

/** (b) Authenticated look-ups a second, against one Express route with one indexed query. */
async function lookUp(platform: Record<string, string>, productId: string): Promise<Row> {
  await provision(platform, "alice");
  const barePort = await freePort();
  const bare = start([floor("bare-express")], {
    PORT: String(barePort),
    DATABASE_URL: databaseUrl,
    PRODUCT_ID: productId,
  });
  const bareUrl = `http://127.0.0.1:${barePort}`;
  await untilHealthy(`${bareUrl}/health`);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS.lookUp + 1; round++) {
    const wish = { seconds: 3, connections: 16 };
    const theirRate = await throughput(`${bareUrl}/engines/alice`, wish);
    const ourRate = await throughput(`${url}/engines/alice`, { ...wish, headers: platform });
    if (round === 0) continue;
    ours.push(ourRate);
    theirs.push(theirRate);
  }
  await end(bare);
  await destroy(platform, "alice");
  return row("authenticated GET /engines/{user_id}", { ours, theirs, unit: "/s", aim: "≥ 0.6" });
}

/** (c) The first event after the call, and events a second once they flow, against a bare SSE writer. */
async function streams(platform: Record<string, string>): Promise<Row[]> {
  const engine = await provision(platform, "streamer");
  const barePort = await freePort();
  const bare = start([floor("bare-sse")], { PORT: String(barePort) });
  const bareUrl = `http://127.0.0.1:${barePort}`;
  await untilHealthy(`${bareUrl}/?events=1`);
  const first: number[] = [];
  const bareFirst: number[] = [];
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS.stream + STREAM_WARM_UP; round++) {
    const theirRun = await readEvents(`${bareUrl}/?events=${EVENTS}`);
    const ourRun = await readEvents(`${engine.url}/execute`, {
      method: "POST",
      headers: { "x-engine-key": engine.engine_api_key },
      body: { task_id: `bench-${round}`, message: `/stream ${EVENTS}` },
    });
    if (round < STREAM_WARM_UP) continue;
    first.push(ourRun.firstMs);
    bareFirst.push(theirRun.firstMs);
    ours.push(ourRun.rate);
    theirs.push(theirRun.rate);
  }
  await end(bare);
  await destroy(platform, "streamer");
  return [
    row("first event of /execute", { ours: first, theirs: bareFirst, unit: "ms", aim: "≤ 20 ms" }),
    row("events of /execute", { ours, theirs, unit: "/s", aim: "≥ 0.5" }),
  ];
}

async function readEvents(address: string, wish: Call = {}): Promise<{ firstMs: number; rate: number }> {
  const began = performance.now();
  const response = await open(address, wish);
  let firstMs = 0;
  let events = 0;
  let before = "";
  for await (const chunk of response) {
    if (events === 0) firstMs = performance.now() - began;
    const text = before + (chunk as Buffer).toString("latin1");
    // A frame ends with an empty line, which may be cut in two.
    let at = text.indexOf("\n\n");
    let end = 0;
    for (; at !== -1; at = text.indexOf("\n\n", end)) {
      events++;
      end = at + 2;
    }
    before = text.slice(Math.max(end, text.length - 1));
  }
  if (events < EVENTS) throw new Error(`${address} gave ${events} events, not ${EVENTS}`);
  return { firstMs, rate: events / ((performance.now() - began) / 1000) };
}

/** (d) Resident memory of an engine that nobody has called, against the bare server's. */
async function memory(platform: Record<string, string>): Promise<Row> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS.memory; round++) {
    const barePort = await freePort();
    const bare = start([floor("bare-server")], { PORT: String(barePort) });
    await untilHealthy(`http://127.0.0.1:${barePort}/health`);
    const { pid } = await provision(platform, `idle-${round}`);
    await new Promise((resolveSoon) => setTimeout(resolveSoon, 5000));
    ours.push(residentMiB(pid));
    theirs.push(residentMiB(bare.pid ?? 0));
    await end(bare);
    await destroy(platform, `idle-${round}`);
  }
  return row("resident memory of an idle engine", { ours, theirs, unit: "MiB", aim: "≤ 2.0" });
}

async function provision(
  platform: Record<string, string>,
  userId: string,
): Promise<{ url: string; pid: number; engine_api_key: string }> {
  const answer = await call(`${url}/engines/provision`, {
    method: "POST",
    headers: platform,
    body: { user_id: userId },
  });
  if (answer.status !== 201) throw new Error(`provision answered ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body) as { url: string; pid: number; engine_api_key: string };
}

async function destroy(platform: Record<string, string>, userId: string): Promise<void> {
  const answer = await call(`${url}/engines/${userId}`, { method: "DELETE", headers: platform });
  if (answer.status !== 200) throw new Error(`destroy answered ${answer.status}: ${answer.body}`);
}

function row(
  what: string,
  { ours, theirs, unit, aim }: { ours: number[]; theirs: number[]; unit: string; aim: string },
): Row {
  const [our, their] = [median(ours), median(theirs)];
  const digits = our < 100 ? 1 : 0;
  return {
    what,
    ours: `${our.toFixed(digits)} ${unit}`,
    floor: `${their.toFixed(digits)} ${unit}`,
    // Each round's pair met the same machine: the median of their ratios is steadier than the ratio of medians.
    ratio: median(ours.map((value, index) => value / (theirs[index] ?? Number.NaN))).toFixed(2),
    aim,
  };
}
