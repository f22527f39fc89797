import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type Call, end, freePort, start, untilHealthy } from "./measure.ts";
import type { Site } from "./site.ts";

const folder = join(import.meta.dirname, "peer");

export interface Peer {
  readonly url: string;
  readonly pid: number;
  /** From the start of its process until it answered that it is healthy. */
  readonly bootMs: number;
  stop(): Promise<void>;
}

export const peerIsInstalled = (): boolean => existsSync(join(folder, "node_modules/@langchain/langgraph-api"));

/** LangGraph's API server, with as many workers as its own command starts where nothing else is said. */
export async function startPeer(site: Site, { workers = 10, modelUrl = "" } = {}): Promise<Peer> {
  const port = await freePort();
  const began = performance.now();
  const child = start([join(folder, "server.mjs")], {
    PORT: String(port),
    WORKERS: String(workers),
    MODEL_URL: modelUrl,
    DATA_DIR: await mkdtemp(join(site.dataDir, "peer-")),
    NODE_COMPILE_CACHE: join(site.dataDir, "cache"),
    LOG_LEVEL: "error",
    NODE_ENV: "production",
  });
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(`${url}/ok`);
  return { url, pid: child.pid ?? 0, bootMs: performance.now() - began, stop: () => end(child) };
}

/** Runs one of its graphs in a thread that is new, and streams the words as they come. */
export const runOfPeer = (graph: "scripted" | "remote", content: string): Call => ({
  method: "POST",
  body: {
    assistant_id: graph,
    if_not_exists: "create",
    stream_mode: ["messages-tuple"],
    input: { messages: [{ role: "user", content }] },
  },
});
