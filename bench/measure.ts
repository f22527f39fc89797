import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The value below which that share of them is. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * share)] ?? Number.NaN;

/**
 * Below the kernel's own range: a daemon that starts again must find its port free of outgoing connections. `fetch`
 * refuses 10080.
 */
const PORTS = { min: 10_081, max: 19_999 };

export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.min + Math.floor(Math.random() * (PORTS.max - PORTS.min + 1));
    const server = createServer().listen({ port, host: "127.0.0.1", exclusive: true });
    const free = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!free) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** One of the programs that orchd is compared with. */
export const floor = (name: string): string => join(import.meta.dirname, "floor", name);

const started = new Set<ChildProcess>();
const over = new AbortController();

/** Ends whatever still runs; after that nothing more is started, by a part that was cut short. */
export async function endAll(): Promise<void> {
  over.abort(new Error("the bench is over"));
  await Promise.all([...started].map((child) => end(child)));
}

/** Starts a program with nothing of our environment. */
export function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  output: "inherit" | "pipe" = "inherit",
): ChildProcess {
  over.signal.throwIfAborted();
  const child = spawn(process.execPath, args, {
    env: { PATH: "/usr/bin:/bin", ...env },
    stdio: ["ignore", output === "pipe" ? "pipe" : "ignore", output],
  });
  started.add(child);
  child.once("exit", () => started.delete(child));
  return child;
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

/** Starts a floor's server and waits until it answers. */
export async function startServer(
  name: string,
  { env = {}, path = "/health" }: { env?: Readonly<Record<string, string>>; path?: string } = {},
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const port = await freePort();
  const child = start([floor(name)], { PORT: String(port), ...env });
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(`${url}${path}`);
  return { child, url };
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly agent?: Agent;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterS: number;
}

export function open(url: string, { method = "GET", headers = {}, body, agent }: Call = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const request = httpRequest(
      url,
      { method, headers: { "content-type": "application/json", ...headers }, ...(agent && { agent }) },
      resolve,
    );
    request.on("error", reject);
    request.end(sent);
  });
}

export async function call(url: string, request: Call = {}): Promise<Answer> {
  const response = await open(url, request);
  let body = "";
  for await (const chunk of response.setEncoding("utf8")) body += String(chunk);
  return { status: response.statusCode ?? 0, body, retryAfterS: Number(response.headers["retry-after"] ?? 0) };
}

/** Waits until the address answers 200 with a body that suits, asked as tightly as the daemon asks a booting engine. */
export async function untilHealthy(
  url: string,
  suits: (body: string) => boolean = () => true,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const answer = await call(url, { headers }).catch(() => null);
    if (answer?.status === 200 && suits(answer.body)) return;
    await sleep(3);
  }
  throw new Error(`${url} did not come up`);
}

/** The time of a start, without that of its end. */
export async function timed(begin: () => Promise<() => Promise<void>>): Promise<number> {
  const began = performance.now();
  const stop = await begin();
  const took = performance.now() - began;
  await stop();
  return took;
}

/** Does something with each item, some of them at a time. */
export async function inParallel<T>(items: readonly T[], workers: number, work: (item: T) => Promise<void>) {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** Answers a second over some keep-alive connections. Any other status than 200 is an error. */
export async function throughput(
  nextUrl: () => string,
  {
    headers = {},
    seconds,
    connections,
  }: { headers?: Readonly<Record<string, string>>; seconds: number; connections: number },
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1000;
  let answers = 0;
  const began = performance.now();
  const client = async () => {
    while (performance.now() < until) {
      const url = nextUrl();
      const { status } = await call(url, { headers, agent });
      if (status !== 200) throw new Error(`${url} answered ${status}`);
      answers++;
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const rate = answers / ((performance.now() - began) / 1000);
  agent.destroy();
  return rate;
}

/** Resident memory in MiB. */
export const residentMiB = (pid: number): number => kibOf(`/proc/${pid}/status`, "VmRSS") / 1024;

/** As {@link residentMiB}, with what is shared counted in part. */
export const proportionalMiB = (pid: number): number => kibOf(`/proc/${pid}/smaps_rollup`, "Pss") / 1024;

function kibOf(path: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(path, "utf8"))?.[1]);
}

/** The kernel counts in hundredths of a second, whatever the machine. */
const TICKS_PER_SECOND = 100;

/** Processor time that a process has used, all its threads together. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
