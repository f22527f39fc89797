import { request } from "node:http";
import t, { type Test } from "tap";
import { createEngineClient } from "../../src/client/index.ts";
import { freePort } from "../helpers/daemon.ts";
import { type Sleeper, openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const port = await freePort();
const gateway = `http://127.0.0.1:${port}`;
const fleet = await openFleet(t, { env: { ORCH_PORT: String(port) } });

/** A follower's stream as text, at any address. */
function follow(t: Test, base: string, { key }: Pick<Sleeper, "key">, query = "?follow=true", more = {}) {
  const seen = { text: "", ended: false, cut: false };
  const headers = { "x-engine-key": key, accept: "text/event-stream", ...more };
  const call = request(`${base}/execute/replay${query}`, { headers, agent: false }, (response) => {
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => void (seen.text += chunk));
    response.on("end", () => void (seen.ended = true));
    response.on("error", () => void (seen.cut = true));
  });
  call.on("error", () => void (seen.cut = true));
  call.end();
  t.teardown(() => call.destroy());
  const seqs = () => [...seen.text.matchAll(/"seq":(\d+)/g)].map(([, seq]) => Number(seq));
  return { seen, seqs, leave: () => call.destroy() };
}
const through = ({ id }: Sleeper) => `${gateway}/e/${id}`;
const say = async (engine: Sleeper, text: string) => (await engine.execute("talk", `/say ${text}`)).all();
const has = (text: string) => (followed: ReturnType<typeof follow>) => followed.seen.text.includes(text);

t.test("an idle follower does not keep an engine awake, and is told of the sleep", async (t) => {
  const anna = await fleet.provision("anna");
  await say(anna, "hello");
  const tab = follow(t, anna.url, anna);
  await until("it has read everything", async () => has("hello")(tab));
  const left = follow(t, anna.url, anna, "?follow=true&task_id=other");
  await until("both are open", async () => (await anna.call("/health")).body.streams === 2);
  await fleet.setPolicy({ idle_stop_s: 1 });
  await until("both streams end", async () => tab.seen.ended && left.seen.ended);
  await fleet.setPolicy({ idle_stop_s: 0 });
  await anna.isIn("sleeping");
  const last = tab.seqs().at(-1);
  t.ok(tab.seen.text.endsWith(`\n\n: sleeping ${last}\n\n`), "a comment line with its position is the last one");
  t.equal(left.seen.text.replace(/event: heartbeat\n.*\n\n/g, ""), `: sleeping ${last}\n\n`);
  t.same([tab.seen.cut, left.seen.cut], [false, false]);
  t.equal((await anna.show()).state, "sleeping", "their end woke nothing");
});

t.test("a reader of a turn that waits for a person keeps its engine awake", async (t) => {
  const carl = await fleet.provision("carl");
  const stream = await carl.execute("ask", "/ask Which one? | left | right");
  const { data } = await stream.first("hitl_request");
  stream.cut();
  const reader = follow(t, carl.url, carl, `?follow=true&turn_id=${data["turn_id"]}`);
  await until("it reads", async () => has("hitl_request")(reader));
  await until("only the reader is left", async () => {
    const { body } = await carl.post("sleep");
    return body.error?.message === "the engine has work: stream, request";
  });
  reader.leave();
  await carl.sleep();
});

t.test(
  "the gateway holds a follower's stream while the engine sleeps, and goes on without gap or duplicate",
  async (t) => {
    const bob = await fleet.provision("bob");
    await say(bob, "first");
    const tab = follow(t, through(bob), bob);
    const withIds = follow(t, through(bob), bob, "?follow=true&task_id=talk&ids=1");
    const all = [tab, withIds];
    await until("both read", async () => all.every(has("first")));
    for (const round of ["second", "third", "fourth", "fifth", "sixth"]) {
      await bob.sleep();
      await until("both are told", async () => all.every(({ seen }) => /\n\n: sleeping \d+\n\n$/.test(seen.text)));
      t.equal((await bob.show()).state, "sleeping", "they wake nothing");
      await say(bob, round);
      await until("both go on", async () => all.every(has(round)));
    }
    const { body } = await bob.call("/execute/replay?limit=10000");
    const stored = body.events.map((one: { data: { seq: number } }) => one.data.seq);
    await until("everything arrives", async () => all.every(({ seqs }) => seqs().at(-1) === stored.at(-1)));
    for (const { seqs, seen } of all) {
      t.equal(new Set(seqs()).size, seqs().length, "no duplicate");
      t.same([seen.ended, seen.cut], [false, false]);
    }
    const types = (text: string) => [...text.matchAll(/^event: (\w+)$/gm)].map(([, type]) => type);
    t.ok(types(tab.seen.text).length > 0);
    t.notMatch(tab.seen.text, /^id: /m, "ids only for the one that asked");
    t.match(withIds.seen.text, new RegExp(`^id: ${stored.at(-1)}$`, "m"));
    await bob.sleep();
    await bob.post("stop");
    await until("a stop ends both", async () => all.every(({ seen }) => seen.ended));
    t.notMatch(fleet.daemon.output(), "MaxListenersExceededWarning", "a sleep leaves no listener behind");
  },
);

t.test("the client ends an iteration at the engine's own address, and not through the gateway", async (t) => {
  const dora = await fleet.provision("dora");
  await say(dora, "hello");
  const read = async (url: string, seen: string[], signal?: AbortSignal) => {
    const client = createEngineClient({ url, key: dora.key });
    for await (const event of client.follow({ taskId: "talk", ...(signal && { signal }) }))
      seen.push(JSON.stringify(event));
  };
  const [direct, held]: [string[], string[]] = [[], []];
  const leave = new AbortController();
  const readDirect = read(dora.url, direct);
  const readHeld = read(through(dora), held, leave.signal);
  const said = (seen: string[], text: string) => seen.join("").includes(text);
  await until("both read", async () => said(direct, "hello") && said(held, "hello"));
  await dora.sleep();
  await readDirect;
  t.equal((await dora.show()).state, "sleeping", "it does not reconnect");
  await say(dora, "again");
  await until("the gateway's goes on", async () => said(held, "again"));
  t.notOk(said(direct, "again"));
  leave.abort();
  await t.rejects(readHeld, { name: "AbortError" });
});

t.test("a followed list of tasks lets its engine sleep, and goes on through the gateway", async (t) => {
  const emil = await fleet.provision("emil");
  await say(emil, "hello");
  const read = async (url: string, seen: string[], signal?: AbortSignal) => {
    const client = createEngineClient({ url, key: emil.key });
    for await (const { event, data } of client.followTasks({ ...(signal && { signal }) }))
      seen.push(event === "task" ? `${data.task_id} ${data.message_count}` : event);
  };
  const [direct, held]: [string[], string[]] = [[], []];
  const leave = new AbortController();
  const readDirect = read(emil.url, direct);
  const readHeld = read(through(emil), held, leave.signal);
  await until("both read", async () => direct.includes("talk 2") && held.includes("talk 2"));
  await emil.sleep();
  await readDirect;
  t.equal((await emil.show()).state, "sleeping", "it does not reconnect");
  await say(emil, "again");
  await until("the gateway's goes on", async () => held.includes("talk 4"));
  t.notOk(direct.includes("talk 4"));
  leave.abort();
  await t.rejects(readHeld, { name: "AbortError" });
});
