import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { text } from "node:stream/consumers";
import t from "tap";
import { type Sleeper, openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { LONG } from "./parts/long.ts";

/** Each has a kill of the engine and one of the daemon. */
const ROUNDS = LONG ? 50 : 2;
/** The daemon reads every second. */
const LATEST_KILL_MS = 1500;
t.setTimeout(ROUNDS * 20_000 + 30_000);

const fleet = await openFleet(t, { env: { LLM_PROVIDER: "sandbox", ENGINE_TITLES: "off" } });

/** How often each task was told to be completed. */
const told = new Map<string, number>();
const service = createServer(async (request, response) => {
  const { data } = JSON.parse(await text(request)) as { data: { task_id: string } };
  told.set(data.task_id, (told.get(data.task_id) ?? 0) + 1);
  response.writeHead(204).end();
}).listen(0, "127.0.0.1");
await once(service, "listening");
t.teardown(() => {
  service.closeAllConnections();
  service.close();
});
const address = `127.0.0.1:${(service.address() as AddressInfo).port}`;

/** Begins a turn, which is stored by then. Its stream may break off. */
async function begin(engine: Sleeper, taskId: string): Promise<string> {
  const stream = await engine.execute(taskId, "/slow 20\n/say done");
  await until("its first event came", () => stream.frames.length > 0);
  return taskId;
}

t.test("kills of engines and daemons at any time lose no end of a turn", async (t) => {
  await fleet.setPolicy({ private_hosts: [address] });
  const endpoint = { url: `http://${address}/`, events: ["turn.completed"] };
  t.equal((await fleet.platform("POST", "/notifications/endpoints", endpoint)).status, 201);
  const tasks: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const user = `user-${round}`;
    const engine = await fleet.provision(user);
    const { pid } = await engine.isIn("running");
    tasks.push(await begin(engine, `engine-${round}`));
    await sleep(Math.random() * LATEST_KILL_MS);
    process.kill(pid, "SIGKILL");
    await until("it runs again", async () => {
      const { state, pid: next } = await engine.show();
      return state === "running" && next !== pid;
    });
    tasks.push(await begin(engine, `daemon-${round}`));
    await sleep(Math.random() * LATEST_KILL_MS);
    await fleet.daemon.stop("SIGKILL");
    await fleet.restart();
    await until("both turns are told", () => tasks.every((task) => told.has(task)));
    await fleet.platform("DELETE", `/engines/${user}`);
  }
  const repeated = tasks.filter((task) => (told.get(task) ?? 0) > 1);
  t.comment(`${tasks.length} turns, ${ROUNDS * 2} kills, 0 lost, ${repeated.length} told more than once`);
  t.equal(told.size, tasks.length);
});
