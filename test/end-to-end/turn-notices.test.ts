import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import t from "tap";
import { type Sleeper, openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const fleet = await openFleet(t, { env: { ENGINE_TITLES: "model", LLM_PROVIDER: "sandbox" } });
const platform: typeof fleet.platform = (...call) => fleet.platform(...call);

interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}
const told: Told[] = [];
const service = createServer(async (request, response) => {
  told.push(JSON.parse(await text(request)) as Told);
  response.writeHead(204).end();
}).listen(0, "127.0.0.1");
await once(service, "listening");
t.teardown(() => {
  service.closeAllConnections();
  service.close();
});
const address = `127.0.0.1:${(service.address() as AddressInfo).port}`;
await fleet.setPolicy({ private_hosts: [address] });

const TYPES = ["turn.completed", "turn.failed", "turn.cancelled", "turn.waiting", "task.titled"];
const turn = async (engine: Sleeper, taskId: string, message: string): Promise<void> => {
  await (await engine.execute(taskId, message)).all();
};
const ofTask = (taskId: string) => told.filter(({ data }) => data["task_id"] === taskId);
const typesOf = (taskId: string) => ofTask(taskId).map(({ type }) => type);
const events = async (query = "") => (await platform("GET", `/engines/anna/events${query}`)).body.data;

const anna = await fleet.provision("anna");
let made = "";

t.test("without an endpoint that wants them, nothing is stored of turns", async (t) => {
  await turn(anna, "before", "/say nobody is told");
  await platform("POST", "/engines/anna/sleep");
  await anna.isIn("sleeping");
  t.same(
    (await events()).filter(({ type }: { type: string }) => TYPES.includes(type)),
    [],
  );
});

t.test("a product is told how turns end, what they wait for, and of titles, without content", async (t) => {
  const { status, body } = await platform("POST", "/notifications/endpoints", {
    url: `http://${address}/`,
    events: TYPES,
  });
  t.equal(status, 201);
  made = body.id;
  await turn(anna, "good", "/say a secret answer");
  await turn(anna, "bad", "/fail too-long");
  const waits = await anna.execute("asks", "/ask Which secret?\n/say done");
  const asked = await until("the person is asked", () => ofTask("asks")[0]);
  const { body: pending } = await anna.call("/hitl/pending");
  t.match(asked, {
    type: "turn.waiting",
    data: { user_id: "anna", engine_id: anna.id, request_id: pending.requests[0].request_id },
  });
  await anna.call("/execute/cancel", { task_id: "asks" });
  await waits.all();
  await until("all ends came", () => ofTask("asks").length === 2 && ofTask("bad").length > 0);
  await until("the title came", () => typesOf("good").includes("task.titled"));
  t.same(typesOf("good").toSorted(), ["task.titled", "turn.completed"]);
  t.match(ofTask("bad")[0], { type: "turn.failed", data: { turn_id: /^turn_/, error: /^[A-Z_]+$/ } });
  t.same(typesOf("asks"), ["turn.waiting", "turn.cancelled"]);
  t.notMatch(JSON.stringify(told), /secret/);
});

t.test("a turn is told before its engine sleeps", async (t) => {
  await turn(anna, "sleepy", "/say good night");
  await anna.sleep();
  await until("it came", () => typesOf("sleepy").includes("turn.completed"));
  t.equal((await anna.show()).state, "sleeping");
});

t.test("what ends while no daemon runs is told by the next one", async (t) => {
  await turn(anna, "before-kill", "/say before the daemon is killed");
  await fleet.daemon.stop("SIGKILL");
  await turn(anna, "without-daemon", "/say while no daemon runs");
  await fleet.restart();
  const tasks = ["before-kill", "without-daemon"];
  await until("each turn is told", () => tasks.every((task) => typesOf(task).includes("turn.completed")));
  const stored = (await events("?limit=200")).filter(({ type }: { type: string }) => type === "turn.completed");
  for (const task of tasks)
    t.equal(stored.filter(({ data }: Told) => data["task_id"] === task).length, 1, `${task} is one event`);
});

t.test("a paused endpoint gets what happened meanwhile", async (t) => {
  const patch = (enabled: boolean) => platform("PATCH", `/notifications/endpoints/${made}`, { enabled });
  await patch(false);
  await turn(anna, "paused", "/say later");
  await until("it waits", async () => (await platform("GET", `/notifications/endpoints/${made}`)).body.pending > 0);
  t.same(typesOf("paused"), []);
  await patch(true);
  await until("it came", () => typesOf("paused").includes("turn.completed"));
});

t.test("what a killed engine has not told is told when it is destroyed", async (t) => {
  const ben = await fleet.provision("ben");
  const { pid } = await ben.isIn("running");
  await fleet.daemon.stop("SIGKILL");
  await turn(ben, "last-words", "/say and no daemon asked");
  process.kill(pid, "SIGKILL");
  // No engine starts with it, so that only the store can tell.
  await fleet.restart({ LLM_PROVIDER: "anthropic" });
  t.equal((await platform("DELETE", "/engines/ben")).status, 200);
  await until("it is told", () => typesOf("last-words").includes("turn.completed"));
  t.match(ofTask("last-words")[0]?.data, { user_id: "ben", engine_id: ben.id });
});
