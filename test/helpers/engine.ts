import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { join, resolve } from "node:path";
import type { Test } from "tap";
import { NOT_ISOLATED } from "../../src/contract/engine/launch-file.ts";
import { type EngineKey, type EngineLaunch, encodeLaunch } from "../../src/contract/engine/launch.ts";
import { programFor } from "../../src/contract/engine/program.ts";
import { newKey, sha256 } from "../../src/contract/orchestrator/api-keys.ts";
import { type Answer, type Ask, ask } from "./api.ts";
import { compileCache } from "./compile-cache.ts";
import { freePort } from "./daemon.ts";
import { freshFolder } from "./folder.ts";
import { until } from "./until.ts";

const root = resolve(import.meta.dirname, "../..");

export interface TestEngine {
  readonly url: string;
  readonly key: string;
  readonly dataDir: string;
  readonly launch: EngineLaunch;
  readonly process: ChildProcess;
  output(): string;
  /** A call with the engine's key. */
  call(path: string, call?: Ask): Promise<Answer>;
  /** A call with the control token. */
  control(path: string, call?: Ask): Promise<Answer>;
  /** `POST /execute`, resolved when the stream's headers are there. */
  execute(body: Readonly<Record<string, unknown>>, options?: StreamOptions): Promise<SseStream>;
  stream(path: string, options?: StreamOptions): Promise<SseStream>;
  /** Runs a turn to its end and gives its events. */
  turn(taskId: string, message: string, more?: Readonly<Record<string, unknown>>): Promise<readonly Frame[]>;
  /** SIGTERM by default; resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface EngineOptions {
  readonly dataDir?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly keys?: readonly EngineKey[];
  readonly port?: number;
  /** An installation other than this one. Without snapshots its engines load their program. */
  readonly installation?: string;
  /** Of Node.js, before the program's name. */
  readonly nodeOptions?: readonly string[];
  /** False: the engine loads its program, as without snapshots in its installation. */
  readonly snapshot?: boolean;
  /** What follows from the policy, other than its defaults. */
  readonly policy?: Partial<EngineLaunch>;
  /** Default: no limit. */
  readonly userTasks?: number;
  /** Default: none. */
  readonly productCatalog?: EngineLaunch["product_catalog"];
  /** Default: every model, no fallback. */
  readonly models?: EngineLaunch["models"];
  /** Default: none. */
  readonly tracing?: EngineLaunch["tracing"];
  /** Default: none. */
  readonly isolation?: EngineLaunch["isolation"];
  /** The descriptor of a socket that listens on `port` for it. */
  readonly listener?: number;
}

/** Starts the built engine as the daemon does, from its snapshot and with a launch file, and waits for its health. */
export async function startEngine(t: Test, options: EngineOptions = {}): Promise<TestEngine> {
  const started = await launchEngine(t, options);
  const { launch, process, output } = started;
  const url = `http://${launch.host}:${launch.port}`;
  await until("the engine is healthy", async () => {
    if (process.exitCode !== null) throw new Error(`the engine exited with ${process.exitCode}:\n${output()}`);
    return (await ask(url, "/health").catch(() => null))?.body?.incarnation === launch.incarnation;
  });
  const withHeader =
    (name: string, value: string) =>
    (path: string, call: Ask = {}) =>
      ask(url, path, {
        method: call.body === undefined ? "GET" : "POST",
        ...call,
        headers: { [name]: value, ...call.headers },
      });
  const stream = (path: string, options: StreamOptions = {}) =>
    openStream(url, path, { ...options, headers: { "x-engine-key": started.key, ...options.headers } });
  const execute = (body: unknown, options: StreamOptions = {}) => stream("/execute", { ...options, body });
  return {
    ...started,
    url,
    call: withHeader("x-engine-key", started.key),
    control: withHeader("x-control-token", launch.control_token),
    execute,
    stream,
    async turn(taskId, message, more = {}) {
      return (await execute({ task_id: taskId, message, ...more })).all();
    },
  };
}

/** Starts the engine and does not wait for it. */
export async function launchEngine(
  t: Test,
  {
    dataDir = freshFolder(t, "engine"),
    settings = {},
    key = newKey("sk-orch-"),
    keys,
    port,
    installation = root,
    nodeOptions = [],
    snapshot = true,
    policy = {},
    userTasks,
    productCatalog,
    models,
    tracing,
    isolation = NOT_ISOLATED,
    listener,
  }: EngineOptions,
): Promise<Pick<TestEngine, "key" | "dataDir" | "launch" | "process" | "output" | "stop">> {
  mkdirSync(dataDir, { recursive: true });
  const launch: EngineLaunch = {
    engine_id: `eng_${randomUUID()}`,
    incarnation: randomUUID(),
    product: "test",
    user_id: "user",
    host: "127.0.0.1",
    port: port ?? (await freePort()),
    data_dir: dataDir,
    keys: [...(keys ?? [{ hash: sha256(key), expires_at: null }])],
    control_token: randomUUID(),
    settings: { ...settings },
    extra_ca_certs: null,
    tool_network: "open",
    tool_listen: [],
    limits: { max_processes: 256, memory_mb: 1024, disk_mb: 2048 },
    ...policy,
    ...(userTasks !== undefined && { user_tasks: userTasks }),
    ...(productCatalog !== undefined && { product_catalog: productCatalog }),
    ...(models !== undefined && { models }),
    ...(tracing !== undefined && { tracing }),
    isolation,
    ...(listener !== undefined && { listen_fd: 3 }),
  };
  const file = join(dataDir, `launch-${launch.incarnation}.json`);
  writeFileSync(file, encodeLaunch(launch), { mode: 0o400 });
  // As empty as the environment of a daemon's engine.
  const blob = join(installation, "dist", `${programFor(settings)}.blob`);
  const restore = snapshot && existsSync(blob) ? ["--snapshot-blob", blob] : [];
  const child = spawn(process.execPath, [...nodeOptions, ...restore, join(installation, "bin/orch-engine.cjs")], {
    env: { ORCH_LAUNCH_FILE: file, ...compileCache },
    stdio: ["ignore", "pipe", "pipe", ...(listener === undefined ? [] : [listener])],
  });
  let printed = "";
  child.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  };
  t.teardown(() => stop("SIGKILL"));
  return { key, dataDir, launch, process: child, output: () => printed, stop };
}

export interface Frame {
  readonly id: string | null;
  readonly event: string;
  // Tests look into whatever came; a wrong shape fails the comparison.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

export interface StreamOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Exactly what the interface allows: no comment, no retry, no other order, no other blank. */
const FRAME = /^(?:id: (\d+)\n)?event: ([a-z_]+)\ndata: (\{.*\})$/;

/** A reader of server-sent events that accepts only the interface's exact frame. */
export class SseStream {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly frames: Frame[] = [];
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;
  readonly #over: Promise<void>;
  #rest = "";
  #fault: Error | null = null;
  #ended = false;

  constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request;
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => this.#take(chunk));
    this.#over = new Promise((resolve) => {
      response.once("close", () => {
        this.#ended = true;
        resolve();
      });
    });
    response.on("error", () => undefined);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** What came and is no whole frame. */
  get rest(): string {
    return this.#rest;
  }

  /** Every event until the server ends the stream, heartbeats left out. */
  async all(deadlineMs = 30_000): Promise<readonly Frame[]> {
    await until("the stream ends", () => this.#ended || this.#fault !== null, deadlineMs);
    await this.#over;
    if (this.#fault !== null) throw this.#fault;
    if (this.#rest !== "") throw new Error(`the stream ends in the middle of a frame: ${JSON.stringify(this.#rest)}`);
    return this.frames.filter(({ event }) => event !== "heartbeat");
  }

  /** The first event that fits, past or to come. */
  async first(event: string, fits: (data: Frame["data"]) => boolean = () => true): Promise<Frame> {
    return until(`${event} comes`, () => {
      if (this.#fault !== null) throw this.#fault;
      const found = this.frames.find((frame) => frame.event === event && fits(frame.data));
      if (found === undefined && this.#ended) throw new Error(`the stream ended without ${event}`);
      return found;
    });
  }

  /** The event with this number, from 0. Null when the stream ends before it. */
  async nth(index: number): Promise<Frame | null> {
    await until(`event ${index} comes`, () => this.frames.length > index || this.#ended || this.#fault !== null);
    if (this.#fault !== null) throw this.#fault;
    return this.frames[index] ?? null;
  }

  /** Leaves, as a client that lost its connection does. */
  cut(): void {
    this.#request.destroy();
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  /** The answer's text, when it was no stream. */
  async json(): Promise<Frame["data"]> {
    await this.#over;
    return JSON.parse(this.#rest);
  }

  #take(chunk: string): void {
    const parts = (this.#rest + chunk).split("\n\n");
    this.#rest = parts.pop() ?? "";
    for (const part of parts) {
      const [, id, event, data] = FRAME.exec(part) ?? [];
      if (event === undefined || data === undefined) {
        this.#fault ??= new Error(`not a frame of the interface: ${JSON.stringify(part)}`);
        return;
      }
      this.frames.push({ id: id ?? null, event, data: JSON.parse(data) });
    }
  }
}

export function openStream(
  url: string,
  path: string,
  { method, headers = {}, body }: StreamOptions,
): Promise<SseStream> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url + path,
      {
        method: method ?? (body === undefined ? "GET" : "POST"),
        agent: false,
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      },
      (response) => resolve(new SseStream(request, response)),
    );
    request.on("error", reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
