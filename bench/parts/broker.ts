import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { request as requestHttps } from "node:https";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sealCallKey } from "../../src/contract/broker/call-key.ts";
import { sealEngineKey } from "../../src/contract/broker/engine-key.ts";
import { newPlaceholder } from "../../src/contract/broker/placeholder.ts";
import {
  ENGINE_KEY_HEADER,
  SECRET_CALL_PATH,
  SECRET_HEADER,
  SECRET_TARGET_HEADER,
  encodeUrl,
} from "../../src/contract/broker/secret-calls.ts";
import { LocalBroker } from "../../src/orchestrator/fleet/broker/local-broker.ts";
import { createLogger } from "../../src/shared/logger.ts";
import { type Call, call, cpuSeconds, end, open, startServer, timed } from "../measure.ts";
import { type Row, difference, loneRow, row } from "../report.ts";
import { BROKER, BUDGETED, startBroker } from "../started-broker.ts";
import { CERTIFICATES, startTlsHost } from "../tls-host.ts";

const ROUNDS = 300;
const WARM_UP = 50;
const STREAMS = 50;
const WORDS = 400;
const KILLS = 20;
const RATE = 100;
const VALUE = "ghp_of-the-bench-0123456789abcdefghij";

/** What the broker adds to a call of a model or a tool: to its first byte, and in CPU time for a chunk of its answer. */
export async function broker(): Promise<readonly Row[]> {
  const model = await startServer("model-server.mjs");
  const host = await startTlsHost();
  const sealingKey = randomBytes(32);
  const [carrier, network] = [
    { place: "header", header: "Authorization", prefix: "Bearer " },
    ["127.0.0.1", "localhost"],
  ] as const;
  const secret = { value: VALUE, hosts: [host.place], ...carrier, network: [...network] };
  const { child, url } = await startBroker(sealingKey, { secret, certificates: CERTIFICATES });
  const baseUrl = `${model.url}/v1`;
  const agent = new Agent({ keepAlive: true });
  const modelCall = (at: string, engine: string) => (words: string) => {
    const route = { provider: "openai-compatible", apiKey: "sk-bench", baseUrl, region: null } as const;
    const key = sealCallKey(sealingKey, { engine, incarnation: "bench", ...route });
    const body = { model: "bench", messages: [{ role: "user", content: words }] };
    return firstByte(`${at}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body,
      agent,
    });
  };
  const engineKey = sealEngineKey(sealingKey, { engine: "bench", incarnation: "bench" });
  const toolCall = (words: string) =>
    firstByte(url + SECRET_CALL_PATH, {
      headers: {
        [ENGINE_KEY_HEADER]: engineKey,
        [SECRET_TARGET_HEADER]: encodeUrl(`${host.url}/${words.replace(" ", "/")}`),
        [SECRET_HEADER]: newPlaceholder(engineKey, "BENCH"),
      },
      agent,
    });
  const [direct, plain, budgeted] = [modelCall(baseUrl, "bench"), modelCall(url, "bench"), modelCall(url, BUDGETED)];
  const took = await inRounds({
    direct: () => direct("0 1"),
    plain: () => plain("0 1"),
    budgeted: () => budgeted("0 1"),
    directTool: () => firstByteByTls(`${host.url}/1/1`),
    tool: () => toolCall("1 1"),
  });
  const perChunk = async (stream: (words: string) => Promise<number>) => {
    const streams = (words: number) => Promise.all(Array.from({ length: STREAMS }, () => stream(`${words} ${RATE}`)));
    await streams(100);
    const before = cpuSeconds(child.pid ?? 0);
    await streams(WORDS);
    return ((cpuSeconds(child.pid ?? 0) - before) * 1e6) / (STREAMS * WORDS);
  };
  const cpu = { plain: await perChunk(plain), budgeted: await perChunk(budgeted), tool: await perChunk(toolCall) };
  agent.destroy();
  host.close();
  await Promise.all([end(child), end(model.child)]);
  const [more, chunk] = [
    { unit: "ms", aim: "≤ 1 ms more" },
    { unit: "µs", aim: "≤ 25 µs" },
  ];
  return [
    difference("first byte of a model call through the broker", { ours: took.plain, theirs: took.direct, ...more }),
    difference("… of an engine with budgets", { ours: took.budgeted, theirs: took.direct, ...more }),
    difference("… of a tool's call with a secret", { ours: took.tool, theirs: took.directTool, ...more }),
    loneRow(`the broker's CPU for a chunk, ${STREAMS} streams`, { value: cpu.plain, ...chunk }),
    loneRow("… of an engine with budgets", { value: cpu.budgeted, ...chunk }),
    loneRow("… of a tool's call with a secret", { value: cpu.tool, ...chunk }),
    row("a killed broker, from the kill to its next answer", { ...(await restarts()), unit: "ms", aim: "≤ 200 ms" }),
  ];
}

/** Each once in a round, so that all meet the same machine. */
async function inRounds<Name extends string>(
  calls: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(calls) as Name[];
  const took = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < ROUNDS + WARM_UP; round++)
    for (const name of names) {
      const one = await calls[name]();
      if (round >= WARM_UP) took[name].push(one);
    }
  return took;
}

/** Beside the start of a bare server, in ms. */
async function restarts(): Promise<{ readonly ours: readonly number[]; readonly theirs: readonly number[] }> {
  const folder = await mkdtemp(join(tmpdir(), "orchd-bench-"));
  const local = await new LocalBroker({
    nodePath: process.execPath,
    file: BROKER,
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

/** The same of a host with TLS, by a connection of its own as the broker makes one. */
async function firstByteByTls(url: string): Promise<number> {
  const began = performance.now();
  const headers = { authorization: `Bearer ${VALUE}` };
  const sent = requestHttps(url, { agent: false, ca: readFileSync(CERTIFICATES), headers }).end();
  const [response] = (await once(sent, "response")) as [AsyncIterable<Buffer>];
  let took: number | null = null;
  for await (const _ of response) took ??= performance.now() - began;
  return took ?? Number.NaN;
}
