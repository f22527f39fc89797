import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BrokerOrder } from "../../src/contract/broker/broker-order.ts";
import { sealCallKey } from "../../src/contract/broker/call-key.ts";
import { LocalBroker } from "../../src/orchestrator/fleet/broker/local-broker.ts";
import { createLogger } from "../../src/shared/logger.ts";
import { type Call, call, cpuSeconds, end, freePort, open, startServer, timed } from "../measure.ts";
import { type Row, difference, loneRow, row } from "../report.ts";

const ROUNDS = 300;
const WARM_UP = 50;
const STREAMS = 50;
const WORDS = 400;
const KILLS = 20;
const RATE = 100;
const PROGRAM = join(import.meta.dirname, "../../dist/orchd-broker.cjs");

/** What the broker adds to a model call: to its first byte, and in CPU time for a chunk of its answer. */
export async function broker(): Promise<readonly Row[]> {
  const model = await startServer("model-server.mjs");
  const sealingKey = randomBytes(32);
  const { child, url } = await startBroker(sealingKey);
  const baseUrl = `${model.url}/v1`;
  const key = sealCallKey(sealingKey, {
    engine: "bench",
    incarnation: "bench",
    provider: "openai-compatible",
    apiKey: "sk-bench",
    baseUrl,
    region: null,
  });
  const agent = new Agent({ keepAlive: true });
  const request = (words: string): Call => ({
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: { messages: [{ role: "user", content: words }] },
    agent,
  });
  const rounds = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const theirs = await firstByte(`${baseUrl}/chat/completions`, request("0 1"));
    const ours = await firstByte(`${url}/chat/completions`, request("0 1"));
    if (round < WARM_UP) continue;
    rounds.ours.push(ours);
    rounds.theirs.push(theirs);
  }
  await Promise.all(
    Array.from({ length: STREAMS }, () => firstByte(`${url}/chat/completions`, request(`100 ${RATE}`))),
  );
  const before = cpuSeconds(child.pid ?? 0);
  const many = Array.from({ length: STREAMS }, () => firstByte(`${url}/chat/completions`, request(`${WORDS} ${RATE}`)));
  await Promise.all(many);
  const perChunk = ((cpuSeconds(child.pid ?? 0) - before) * 1e6) / (STREAMS * WORDS);
  agent.destroy();
  await Promise.all([end(child), end(model.child)]);
  return [
    difference("first byte of a model call through the broker", { ...rounds, unit: "ms", aim: "≤ 1 ms more" }),
    loneRow(`the broker's CPU for a chunk, ${STREAMS} streams`, { value: perChunk, unit: "µs", aim: "≤ 25" }),
    row("a killed broker, from the kill to its next answer", { ...(await restarts()), unit: "ms", aim: "≤ 200 ms" }),
  ];
}

async function startBroker(sealingKey: Buffer): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const port = await freePort();
  const order: BrokerOrder = {
    sealing_key: sealingKey.toString("base64"),
    build: "bench",
    listen: { host: "127.0.0.1", port },
    confine: true,
    extra_ca_certs: null,
    daemon_url: null,
  };
  const child = spawn(process.execPath, [PROGRAM], { stdio: ["pipe", "inherit", "inherit"], env: {} });
  child.stdin?.end(JSON.stringify(order));
  const url = `http://127.0.0.1:${port}`;
  // It answers nothing but model calls.
  while ((await call(url).catch(() => null))?.status !== 401) await sleep(3);
  return { child, url };
}

/** Beside the start of a bare server, in ms. */
async function restarts(): Promise<{ readonly ours: readonly number[]; readonly theirs: readonly number[] }> {
  const folder = await mkdtemp(join(tmpdir(), "orchd-bench-"));
  const local = await new LocalBroker({
    nodePath: process.execPath,
    file: PROGRAM,
    folder,
    secret: "the secret of the bench",
    host: "127.0.0.1",
    port: null,
    enginePorts: { min: 20_000, max: 29_999 },
    ownerOn: () => null,
    confine: true,
    extraCaCerts: null,
    daemonUrl: "http://127.0.0.1:9",
    logger: createLogger("bench", "silent"),
    stopping: new AbortController().signal,
  }).open();
  const { url } = local.access();
  const [ours, theirs]: [number[], number[]] = [[], []];
  try {
    while (ours.length < KILLS) {
      const { pid } = local.report() ?? {};
      if (pid === undefined || (await call(url)).status !== 401) {
        await sleep(3);
        continue;
      }
      const began = performance.now();
      process.kill(pid, "SIGKILL");
      // It waits in the kernel for the next one.
      while ((await call(url).catch(() => null))?.status !== 401) await sleep(1);
      ours.push(performance.now() - began);
      theirs.push(
        await timed(async () => {
          const { child } = await startServer("bare-server.cjs");
          return () => end(child);
        }),
      );
      while (local.report()?.pid === pid) await sleep(3);
    }
  } finally {
    await local.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return { ours, theirs };
}

/** Until the first byte, in ms. The rest is read too, so that the connection is used again. */
async function firstByte(url: string, request: Call): Promise<number> {
  const began = performance.now();
  const response = await open(url, request);
  let took: number | null = null;
  for await (const _ of response) took ??= performance.now() - began;
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
  return took ?? Number.NaN;
}
