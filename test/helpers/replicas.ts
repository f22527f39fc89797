import type { Test } from "tap";
import { type Answer, type Ask, ask } from "./api.ts";
import { type Daemon, freePort, startDaemon } from "./daemon.ts";
import { freshFolder } from "./folder.ts";
import { freshDatabaseUrl } from "./shared-postgres.ts";
import { until } from "./until.ts";

/** Daemons of one deployment on one database and one data folder. */
export interface Replicas {
  readonly databaseUrl: string;
  /** Starts one more. It follows, unless it is the first. */
  start(): Promise<Daemon>;
  leader(): Promise<Daemon>;
  followers(): Promise<readonly Daemon[]>;
  /** Those that have not been killed. */
  alive(): readonly Daemon[];
  /** Waits until one of them leads and serves; gives the milliseconds it took. */
  awaitLeader(deadlineMs: number): Promise<number>;
}

const LOST: Answer = { status: 0, headers: {}, body: undefined, text: "" };

/** A call that may find nobody. */
export const tryAsk = (url: string, path: string, call: Ask = {}): Promise<Answer> =>
  ask(url, path, { signal: AbortSignal.timeout(2000), ...call }).catch(() => LOST);

/** `products`: deleted at the end, with their engines. */
export async function openReplicas(
  t: Test,
  { products, env = {} }: { readonly products: readonly string[]; readonly env?: Readonly<Record<string, string>> },
): Promise<Replicas> {
  const dataDir = freshFolder(t, "orchd-replicas");
  const databaseUrl = await freshDatabaseUrl(t);
  const portMin = 20_000 + Math.floor(Math.random() * 9000);
  const shared = {
    ORCH_PORT_MIN: String(portMin),
    ORCH_PORT_MAX: String(portMin + 199),
    ORCH_HOST_ID: "replicated",
    ORCH_HEALTH_INTERVAL_S: "1",
    ...env,
  };
  const daemons: Daemon[] = [];
  const alive = () =>
    daemons.filter(({ process: { exitCode, signalCode } }) => exitCode === null && signalCode === null);
  const inRole = async (role: string) => {
    const shown = await Promise.all(
      alive().map(async (daemon) => ({ daemon, health: await tryAsk(daemon.url, "/ready") })),
    );
    return shown.filter(({ health }) => health.body?.role === role).map(({ daemon }) => daemon);
  };
  return {
    databaseUrl,
    alive,
    async start() {
      const port = await freePort();
      const own = { ORCH_PORT: String(port), ORCH_REPLICA_URL: `http://127.0.0.1:${port}` };
      const daemon = await startDaemon(t, { dataDir, databaseUrl, env: { ...shared, ...own } });
      daemons.push(daemon);
      // Before it ends. One that was killed leaves the engines to the others.
      t.teardown(async () => {
        const admin = { method: "DELETE", headers: { "x-admin-key": daemon.adminKey } };
        const remove = (slug: string) =>
          tryAsk(daemon.url, `/products/${slug}?force=true`, { ...admin, signal: AbortSignal.timeout(20_000) });
        // One that has just begun to lead serves a moment later.
        for (const slug of products)
          await until("the product is deleted", async () => (await remove(slug)).status !== 503, 20_000);
      });
      return daemon;
    },
    leader: () => until("one leads", async () => (await inRole("leader"))[0]),
    followers: () => inRole("follower"),
    async awaitLeader(deadlineMs) {
      const start = performance.now();
      await until("one leads", async () => (await inRole("leader")).length === 1, deadlineMs);
      return performance.now() - start;
    },
  };
}
