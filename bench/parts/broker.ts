import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BrokerOrder } from "../../src/contract/broker/broker-order.ts";
import { sealCallKey } from "../../src/contract/broker/call-key.ts";
import { type Call, call, cpuSeconds, end, freePort, open, startServer } from "../measure.ts";
import { type Row, difference, loneRow } from "../report.ts";

const ROUNDS = 300;
const WARM_UP = 50;
const STREAMS = 50;
const WORDS = 400;
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
  ];
}

async function startBroker(sealingKey: Buffer): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const port = await freePort();
  const order: BrokerOrder = {
    sealing_key: sealingKey.toString("base64"),
    control_token: "bench",
    build: "bench",
    listen: { host: "127.0.0.1", port },
    confine: true,
    extra_ca_certs: null,
  };
  const child = spawn(process.execPath, [PROGRAM], { stdio: ["pipe", "inherit", "inherit"], env: {} });
  child.stdin?.end(JSON.stringify(order));
  const url = `http://127.0.0.1:${port}`;
  // It answers nothing but model calls.
  while ((await call(url).catch(() => null))?.status !== 401) await sleep(3);
  return { child, url };
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
