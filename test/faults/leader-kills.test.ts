import { randomUUID } from "node:crypto";
import { once } from "node:events";
import t from "tap";
import type { Answer, Ask } from "../helpers/api.ts";
import { openReplicas, tryAsk } from "../helpers/replicas.ts";
import { until } from "../helpers/until.ts";
import { LONG } from "./parts/long.ts";
import { Random } from "./parts/random.ts";
import { report } from "./parts/report.ts";

const ROUNDS = 300;
const USERS = 6;
/** Longer than any takeover on a busy host: the report says how long they took. */
const TAKEOVER_MS = 60_000;
/** A call with a key that finds nobody, or whose leader is lost, is sent again until then. */
const CALL_DEADLINE_MS = 120_000;
/** A frozen leader is not dead: what it holds is taken from it. */
const FROZEN_EVERY = 5;

const skip = LONG ? false : "the long form of test/end-to-end/replicas.test.ts";

t.test("leaders that die one after the other lose no call and start nothing twice", { skip }, async (t) => {
  t.setTimeout(7_200_000);
  const random = new Random();
  t.comment(`ORCHD_SEED=${random.seed}`);
  const replicas = await openReplicas(t, { products: ["acme"] });
  const first = await replicas.start();
  await Promise.all([replicas.start(), replicas.start()]);
  const policy = { max_engines: null, requests_per_minute: null, idle_stop_s: 0, drain_s: 1 };
  const registered = await first.admin("/products/register", { method: "POST", body: { slug: "acme", policy } });
  const headers = { "x-platform-key": registered.body.platform_api_key as string };

  /** To any replica. A call with a key is sent until somebody answers it. */
  async function call(path: string, { body, key = randomUUID() }: { body?: object; key?: string } = {}) {
    const asked: Ask = {
      headers: { ...headers, ...(body && { "idempotency-key": key }) },
      ...(body && { method: "POST", body }),
      signal: AbortSignal.timeout(20_000),
    };
    return until(
      `${path} is answered`,
      async (): Promise<Answer | null> => {
        const { url } = random.pick(replicas.alive());
        const answer = await tryAsk(url, path, { ...asked, signal: AbortSignal.timeout(20_000) });
        const isOpen =
          answer.status === 0 || answer.status >= 500 || answer.body?.error?.code === "OPERATION_IN_PROGRESS";
        return isOpen ? null : answer;
      },
      CALL_DEADLINE_MS,
    );
  }

  const met = new Map<number, number>();
  const over = new AbortController();
  const traffic = Array.from({ length: USERS }, async (_, index) => {
    const user = `user-${index}`;
    while (!over.signal.aborted) {
      const provisioned = await call("/engines/provision", { body: { user_id: user } });
      const acts = ["stop", "start"].map((act) => () => call(`/engines/${user}/${act}`, { body: {} }));
      for (const answer of [provisioned, await random.pick(acts)(), await call(`/engines/${user}`)])
        met.set(answer.status, (met.get(answer.status) ?? 0) + 1);
    }
  });

  const took: Record<"killed" | "frozen", number[]> = { killed: [], frozen: [] };
  for (let round = 1; round <= ROUNDS; round++) {
    const leader = await replicas.leader();
    await until("traffic goes on", async () => (await call("/engines")).status === 200);
    const isFrozen = round % FROZEN_EVERY === 0;
    const ended = once(leader.process, "exit");
    const start = performance.now();
    leader.process.kill(isFrozen ? "SIGSTOP" : "SIGKILL");
    const others = replicas.alive().filter((daemon) => daemon !== leader);
    const leads = async () => {
      const answers = await Promise.all(others.map(({ url }) => tryAsk(url, "/ready")));
      return answers.some(({ body }) => body?.role === "leader");
    };
    await until(`another leads after round ${round}`, leads, TAKEOVER_MS);
    took[isFrozen ? "frozen" : "killed"].push(performance.now() - start);
    if (isFrozen) leader.process.kill("SIGCONT");
    await ended;
    await replicas.start();
  }
  over.abort();
  await Promise.all(traffic);
  for (const [kind, all] of Object.entries(took)) {
    const sorted = all.toSorted((a, b) => a - b).map(Math.round);
    report(t, {
      [`leaders ${kind}`]: sorted.length,
      [`another leads, median (${kind})`]: `${sorted[sorted.length >> 1]} ms`,
      [`… longest (${kind})`]: `${sorted.at(-1)} ms`,
    });
  }
  report(t, Object.fromEntries([...met].map(([status, times]) => [`answers with ${status}`, times])));
  t.same(
    [...met.keys()].filter((status) => ![200, 201, 409].includes(status)),
    [],
    "every call was answered",
  );

  const daemon = await replicas.leader();
  const engines = async () => (await daemon.admin("/admin/engines?limit=200")).body.data;
  const isSettled = ({ state }: { state: string }) => state === "running" || state === "stopped";
  await until("every engine is settled", async () => (await engines()).every(isSettled), 90_000);
  const users = (await engines()).map(({ user_id: user }: { user_id: string }) => user);
  t.equal(new Set(users).size, users.length, "one engine each");
  t.same((await daemon.admin("/admin/status")).body.orphans, [], "no process without a record");
});
