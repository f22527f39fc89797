import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const started = new Set<ChildProcess>();

/** Ends whatever has been started and still runs: for a bench that failed half-way. */
export async function endAll(): Promise<void> {
  for (const child of started) await end(child, "SIGTERM");
}

/** Starts a program with nothing of our environment. */
export function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(process.execPath, args, {
    env: { PATH: "/usr/bin:/bin", ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  started.add(child);
  return child;
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly agent?: Agent;
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

export async function call(url: string, wish: Call = {}): Promise<{ status: number; body: string }> {
  const response = await open(url, wish);
  let body = "";
  for await (const chunk of response.setEncoding("utf8")) body += String(chunk);
  return { status: response.statusCode ?? 0, body };
}

/** Milliseconds until the address answers 200, asked as tightly as the daemon asks a booting engine. */
export async function untilHealthy(url: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const answer = await call(url).catch(() => null);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  throw new Error(`${url} did not come up`);
}

/** Answers a second over some keep-alive connections. Any other status than 200 is an error. */
export async function throughput(
  url: string,
  { headers = {}, seconds, connections }: { headers?: Record<string, string>; seconds: number; connections: number },
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1000;
  let answers = 0;
  const began = performance.now();
  const client = async () => {
    while (performance.now() < until) {
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
export function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}
