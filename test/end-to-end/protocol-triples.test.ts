import t from "tap";
import { ANSWERS, BEGINNERS, READS, type Way, begin } from "../engine/protocols/parts/any-protocol.ts";
import { Random } from "../faults/parts/random.ts";
import { freePort } from "../helpers/daemon.ts";
import { type Sleeper, openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const TRIPLES = 8;
/** An engine that is killed more often within a few minutes stays stopped. */
const TRIPLES_PER_ENGINE = 3;

t.setTimeout(200_000);
const random = new Random();
t.comment(`seed ${random.seed}; ORCHD_SEED repeats it`);
const port = await freePort();
const base = `http://localhost:${port}`;
const fleet = await openFleet(t, {
  env: { ORCH_PORT: String(port), ORCH_PUBLIC_URL: base },
  policy: { user_requests_per_minute: null },
});
const namesOf = <K extends string>(table: Readonly<Record<K, unknown>>) => Object.keys(table) as K[];
const STREAM = Array.from({ length: 60 }, (_, index) => `word${index} `).join("");

async function kill(engine: Sleeper, task: string): Promise<void> {
  await until("it streams", async () => (await engine.call(`/execute/replay?task_id=${task}`)).text.includes("word9 "));
  const { pid } = await engine.isIn("running");
  process.kill(pid, "SIGKILL");
  await until("it is back", async () => ((await engine.show()).pid ?? pid) !== pid);
}

let engine: Sleeper | null = null;
let byUser: Way = { url: `${base}/me`, key: "" };
for (let number = 0; number < TRIPLES; number++) {
  const [first, second, third] = [random.pick(BEGINNERS), random.pick(namesOf(ANSWERS)), random.pick(namesOf(READS))];
  const how = random.pick(["kill -9 while it streams", "sleep at its question"] as const);
  await t.test(`begun over ${first}, answered over ${second}, read over ${third}, with ${how}`, async (t) => {
    if (engine === null || number % TRIPLES_PER_ENGINE === 0) {
      engine = await fleet.provision(`user-${number}`);
      byUser = { ...byUser, key: (await engine.post("tokens", { scope: "turns tasks answers" })).body.token };
    }
    const task = `triple-${number}`;
    const text = "/say begun\n/ask Which? | A | B\n/say answered\n/stream 60 60\n/say end";
    await begin(byUser, first, { task, text });
    const open = async () => (await engine?.call("/hitl/pending"))?.body?.requests?.length;
    await until("it asks", async () => (await open()) === 1);
    if (how === "sleep at its question") await engine.sleep();
    // Its client may lose the connection with the engine.
    const answering = ANSWERS[second](byUser, task, "B").catch(() => null);
    await until("it is answered", async () => (await open()) === 0);
    if (how === "kill -9 while it streams") await kill(engine, task);
    const read = await READS[third]({ url: `${base}/e/${engine.id}`, key: engine.key }, task);
    await answering;
    t.same(read, ["begun", "answered", STREAM, "end"]);
    t.equal((await engine.call(`/turns?task_id=${task}`)).body.items.length, 1);
  });
}
