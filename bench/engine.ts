import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type EngineIsolation, NOT_ISOLATED } from "../src/contract/engine/launch-file.ts";
import { encodeLaunch } from "../src/contract/engine/launch.ts";
import { programFor } from "../src/contract/engine/program.ts";
import { newKey, sha256 } from "../src/contract/orchestrator/api-keys.ts";
import { type Call, end, freePort, start, untilHealthy } from "./measure.ts";
import { type Site, installDir } from "./site.ts";

export interface BenchEngine {
  readonly url: string;
  readonly pid: number;
  /** From the start of its process until it answered that it is healthy. */
  readonly bootMs: number;
  /** A call that the engine accepts. */
  request(body?: unknown): Call;
  stop(): Promise<void>;
}

export interface EngineOptions {
  /** Of Node.js, before the program's name. */
  readonly nodeOptions?: readonly string[];
  /** Loads its bundle, as where its snapshot does not fit. */
  readonly isWithoutSnapshot?: boolean;
  readonly isolation?: EngineIsolation;
  /** Texts by path in the catalog's folder. */
  readonly catalog?: Readonly<Record<string, string>>;
}

/** An engine without its daemon: for what is the engine's alone, and for settings that the daemon's others do not have. */
export async function startEngine(
  site: Site,
  settings: Readonly<Record<string, string>> = {},
  { nodeOptions = [], isWithoutSnapshot = false, isolation = NOT_ISOLATED, catalog = {} }: EngineOptions = {},
): Promise<BenchEngine> {
  const incarnation = randomUUID();
  const dataDir = join(site.dataDir, `own-${incarnation}`);
  await mkdir(dataDir);
  for (const [path, text] of Object.entries(catalog)) {
    const place = join(dataDir, "catalog", path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
  }
  const key = newKey("sk-orch-");
  const port = await freePort();
  const launch = encodeLaunch({
    engine_id: `eng_${incarnation}`,
    incarnation,
    product: "bench",
    user_id: "bench",
    host: "127.0.0.1",
    port,
    data_dir: dataDir,
    keys: [{ hash: sha256(key), expires_at: null }],
    control_token: incarnation,
    settings,
    extra_ca_certs: null,
    tool_network: "open",
    tool_listen: [],
    limits: { max_processes: 256, memory_mb: 1024, disk_mb: 2048 },
    isolation,
  });
  const file = join(dataDir, "launch.json");
  await writeFile(file, launch, { mode: 0o400 });
  const began = performance.now();
  // As the daemon starts one.
  const blob = join(installDir, "dist", `${programFor(settings)}.blob`);
  const snapshot = isWithoutSnapshot ? [] : ["--snapshot-blob", blob];
  const options = ["--max-old-space-size=768", ...snapshot, ...nodeOptions];
  const child = start([...options, join(installDir, "bin/orch-engine.cjs")], {
    ORCH_LAUNCH_FILE: file,
    NODE_COMPILE_CACHE: join(site.dataDir, "cache"),
  });
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(`${url}/health`, (body) => body.includes(incarnation));
  return {
    url,
    pid: child.pid ?? 0,
    bootMs: performance.now() - began,
    request: (body) => ({ method: body === undefined ? "GET" : "POST", headers: { "x-engine-key": key }, body }),
    stop: () => end(child),
  };
}
