import type { Test } from "tap";
import type { Answer } from "./api.ts";
import { ask } from "./api.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { type SseStream, openStream } from "./engine.ts";
import { freshFolder } from "./folder.ts";
import { freshDatabaseUrl } from "./shared-postgres.ts";
import { until } from "./until.ts";

/** A user's engine, called at its own address. */
export interface Sleeper {
  readonly user: string;
  readonly id: string;
  readonly url: string;
  readonly key: string;
  show(): Promise<Answer["body"]>;
  post(verb: string, body?: object): Promise<Answer>;
  /** A call with the engine's key. */
  call(path: string, body?: object): Promise<Answer>;
  execute(taskId: string, message: string): Promise<SseStream>;
  /** Waits until a sleep on request succeeds: a learning batch may be due before. */
  sleep(): Promise<Answer["body"]>;
  isIn(state: string): Promise<Answer["body"]>;
}

export interface Fleet {
  readonly daemon: Daemon;
  readonly platformKey: string;
  readonly databaseUrl: string;
  /** Starts the next daemon on the same data, after this one has ended. */
  restart(env?: Readonly<Record<string, string>>): Promise<Daemon>;
  platform(method: string, path: string, body?: object): Promise<Answer>;
  provision(user: string): Promise<Sleeper>;
  /** An engine whose key is known. */
  sleeper(engine: Pick<Sleeper, "user" | "id" | "url" | "key">): Sleeper;
  setPolicy(policy: object): Promise<void>;
}

/** A daemon with one product. Its engines do not sleep by themselves unless the policy says so. */
export async function openFleet(
  t: Test,
  {
    policy = {},
    env = {},
    engine,
    dataDir = freshFolder(t, "orchd-sleep"),
  }: { policy?: object; env?: Readonly<Record<string, string>>; engine?: string; dataDir?: string } = {},
): Promise<Fleet> {
  const databaseUrl = await freshDatabaseUrl(t);
  const portMin = 20_000 + Math.floor(Math.random() * 9000);
  const ports = { ORCH_PORT_MIN: String(portMin), ORCH_PORT_MAX: String(portMin + 99) };
  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const started = await startDaemon(t, {
      dataDir,
      databaseUrl,
      ...(engine !== undefined && { engine }),
      env: { ...ports, ORCH_HEALTH_INTERVAL_S: "1", ORCH_BOOT_CONCURRENCY: "4", ...env, ...more },
    });
    // Before the daemon ends. One that was killed leaves its engines to the next.
    t.teardown(() => started.admin("/products/sleepy?force=true", { method: "DELETE" }).catch(() => undefined));
    return started;
  };
  let daemon = await start();
  const limits = { max_engines: null, requests_per_minute: null, idle_stop_s: 0, drain_s: 1 };
  const body = { slug: "sleepy", policy: { ...limits, ...policy } };
  const made = await daemon.admin("/products/register", { method: "POST", body });
  if (made.status !== 201) throw new Error(made.text);
  const platformKey: string = made.body.platform_api_key;
  const platform = (method: string, path: string, sent?: object) =>
    daemon.platform(platformKey, path, { method, ...(sent !== undefined && { body: sent }) });
  return {
    get daemon() {
      return daemon;
    },
    platformKey,
    databaseUrl,
    async restart(more) {
      daemon = await start(more);
      return daemon;
    },
    platform,
    async provision(user) {
      const { status, body: engine, text } = await platform("POST", "/engines/provision", { user_id: user });
      if (status !== 201) throw new Error(text);
      return sleeper(platform, { user, id: engine.id, url: engine.url, key: engine.engine_api_key });
    },
    sleeper: (known) => sleeper(platform, known),
    async setPolicy(changed) {
      await daemon.admin("/products/sleepy/policy", { method: "PUT", body: changed });
    },
  };
}

function sleeper(
  platform: Fleet["platform"],
  { user, id, url, key }: Pick<Sleeper, "user" | "id" | "url" | "key">,
): Sleeper {
  const headers = { "x-engine-key": key };
  const show = async () => (await platform("GET", `/engines/${user}`)).body;
  const post = (verb: string, body: object = {}) => platform("POST", `/engines/${user}/${verb}`, body);
  return {
    user,
    id,
    url,
    key,
    show,
    post,
    call: (path, body) => ask(url, path, { headers, ...(body !== undefined && { method: "POST", body }) }),
    execute: (taskId, message) => openStream(url, "/execute", { headers, body: { task_id: taskId, message } }),
    sleep: () =>
      until(`${user} sleeps`, async () => {
        const { status, body, text } = await post("sleep");
        if (status !== 200 && body.error.code !== "ENGINE_BUSY") throw new Error(text);
        return status === 200 && body;
      }),
    isIn: (state) =>
      until(`${user} is ${state}`, async () => {
        const record = await show();
        return record.state === state && record;
      }),
  };
}
