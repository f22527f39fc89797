import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { type Server, Socket, createServer } from "node:net";
import { once } from "node:events";
import { newKey, sha256 } from "../../contract/orchestrator/api-keys.ts";
import { type EngineLaunch, decodeLaunch, encodeLaunch } from "../../contract/engine/launch.ts";
import { NOT_ISOLATED } from "../../contract/engine/launch-file.ts";
import { decodeClaim, encodeClaim, spareFolder } from "../../contract/engine/spare.ts";
import { callNative, closeDescriptor, duplicate, openSocketPair } from "../../sandbox/sockets.ts";
import { readEngineConfig } from "../config.ts";
import { openEngine } from "../app/open-engine.ts";

const STDOUT = 1;
const HOST = "127.0.0.1";
/** The second finds what V8 does at the second use, such as regular expressions as machine code: 2 ms less of the first turn. */
const TURNS = 2;

/**
 * Starts an engine in a temporary folder, gives it one turn of the sandbox model, and ends it: so that the start and the
 * first turn of the engine that claims this process find everything loaded and compiled. It is not reachable from
 * outside: its only connection is one within the process.
 */
export async function rehearse(sparePath: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const folder = spareFolder(sparePath);
  mkdirSync(folder, { mode: 0o700 });
  try {
    const key = newKey("sk-orch-");
    const launch = launchOf(folder, key);
    await withoutOutput(async () => {
      const engine = await openEngine(launch, readEngineConfig(launch.settings), environment);
      await ask(engine.server, "GET /health", key);
      for (let turn = 0; turn < TURNS; turn++)
        await ask(engine.server, "POST /execute", key, { task_id: "rehearsal", message: "/say Hello." });
      await engine.close(0);
    });
    await listenOnce();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the engine logs in the rehearsal goes nowhere. */
async function withoutOutput(work: () => Promise<void>): Promise<void> {
  const output = duplicate(STDOUT);
  const nowhere = openSync("/dev/null", "w");
  callNative("dup2", [nowhere, STDOUT]);
  try {
    await work();
  } finally {
    callNative("dup2", [output, STDOUT]);
    closeDescriptor(output);
    closeSync(nowhere);
  }
}

/** Read from text, as the claim is. */
function launchOf(folder: string, key: string): EngineLaunch {
  const launch = encodeLaunch({
    engine_id: "",
    incarnation: "",
    product: "",
    user_id: "",
    host: HOST,
    port: 0,
    data_dir: folder,
    keys: [{ hash: sha256(key), expires_at: null }],
    control_token: newKey("sk-orch-"),
    settings: { LLM_PROVIDER: "sandbox" },
    extra_ca_certs: null,
    tool_network: "none",
    tool_listen: [],
    limits: { max_processes: 0, memory_mb: 0, disk_mb: 0 },
    isolation: NOT_ISOLATED,
  });
  return decodeLaunch(decodeClaim(encodeClaim({ launch_file: "", owner: null, folder, launch })).launch);
}

/** One request on a connection that both ends of are in this process. */
async function ask(server: Server, what: string, key: string, body?: object): Promise<void> {
  const [own, other] = openSocketPair("stream").map((fd) => new Socket({ fd, readable: true, writable: true }));
  if (own === undefined || other === undefined) throw new Error("no sockets");
  server.emit("connection", other);
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    host: HOST,
    connection: "close",
    "content-type": "application/json",
    "content-length": text.length,
  };
  const lines = Object.entries({ ...headers, "x-engine-key": key }).map(([name, value]) => `${name}: ${value}`);
  own.write([`${what} HTTP/1.1`, ...lines, "", text].join("\r\n"));
  own.resume();
  await once(own, "close");
}

/** Loads the modules of a listening socket, which accepts no connection. */
async function listenOnce(): Promise<void> {
  const server = createServer((socket) => socket.destroy()).listen({ host: HOST, port: 0, exclusive: true });
  await once(server, "listening");
  await new Promise((resolve) => server.close(resolve));
}
