import { Webhook } from "standardwebhooks";
import t, { type Test } from "tap";
import type { SseStream } from "../helpers/engine.ts";
import { type Sleeper, openFleet } from "../helpers/sleepers.ts";
import { type HookService, decides, hangs, startHook } from "../helpers/tool-hook.ts";
import { until } from "../helpers/until.ts";

const LIST = '/tool list_files {"path":"."}\n/say done';
const fleet = await openFleet(t);
const service = await startHook(t);
const hook = { url: service.url, tools: ["list_*"], timeout_ms: 5000, on_error: "deny" };
const setHook = (more: object = {}) => fleet.setPolicy({ tool_hook: { ...hook, ...more } });
await fleet.setPolicy({ private_hosts: [service.host], tool_hook: hook });
const rotate = async (body: object = {}) => {
  const path = "/products/sleepy/tool-hook/rotate-secret";
  return (await fleet.daemon.admin(path, { method: "POST", body })).body.secret as string;
};
let secret = await rotate();
const alice = await fleet.provision("alice");

let turns = 0;
/** The result of the call of a turn, and its decision. */
async function turnOf(engine: Sleeper, message = LIST) {
  const taskId = `task-${++turns}`;
  return ended(engine, taskId, await engine.execute(taskId, message));
}
async function ended(engine: Sleeper, taskId: string, stream: SseStream) {
  const result = (await stream.all()).find(({ event }) => event === "tool_result")?.data;
  const { items } = (await engine.call(`/tasks/${taskId}/messages`)).body;
  const part = items[1].parts.find(({ type }: { type: string }) => type === "tool");
  return { error: result?.error as string | null, output: result?.output, part };
}
const metric = async (outcome: string) => {
  const { text } = await fleet.daemon.admin("/metrics");
  return Number(new RegExp(`orch_tool_hook_calls_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
};

t.test("the product is sent a signed call, and the call runs when it allows it", async (t) => {
  const turn = await turnOf(alice);
  t.equal(turn.error, null);
  const [call] = service.calls;
  t.match(new Webhook(secret).verify(call!.body, call!.headers as Record<string, string>), {
    user_id: "alice",
    engine_id: alice.id,
    task_id: "task-1",
    turn_id: /^turn_/,
    tool_call_id: /./,
    agent: "default",
    tool: "list_files",
    input: { path: "." },
  });
  t.equal(await metric("allow"), 1);
  const before = service.calls.length;
  await turnOf(alice, '/tool search_files {"pattern":"x"}\n/say done');
  t.equal(service.calls.length, before, "a tool that no pattern names");
});

t.test("a denied call does not run, and a changed one runs changed and is shown so", async (t) => {
  service.answer = decides({ verdict: "deny", reason: "closed on Tuesdays" });
  t.match(await turnOf(alice), {
    error: "the product denied this call: closed on Tuesdays",
    part: { hook: { verdict: "deny", reason: "closed on Tuesdays" } },
  });
  service.answer = decides({ verdict: "change", input: { path: "no-such-folder" } });
  t.match(await turnOf(alice), {
    error: /no-such-folder/,
    part: { input: { path: "." }, hook: { verdict: "change", input: { path: "no-such-folder" } } },
  });
  service.answer = decides({ verdict: "ask" });
  const stream = await alice.execute("asked", LIST);
  const { data } = await stream.first("hitl_request");
  await alice.call("/hitl/respond", { request_id: data.request_id, answer: "allow_once" });
  t.match(await ended(alice, "asked", stream), { error: null });
});

const ATTACKS: Readonly<Record<string, { readonly answer: HookService["answer"]; readonly error: RegExp }>> = {
  hangs: { answer: hangs, error: /did not answer in time/ },
  "answers 10 MiB": {
    answer: (response) => response.end(JSON.stringify({ verdict: "allow", more: "x".repeat(10 * 1024 * 1024) })),
    error: /its answer is too long/,
  },
  "never ends its answer": {
    answer: (response) => response.write('{"verdict":"allow",'),
    error: /did not answer in time/,
  },
  redirects: {
    answer: (response) => response.writeHead(307, { location: service.url }).end(),
    error: /answered with the status 307/,
  },
  "answers an error that allows": {
    answer: (response) => response.writeHead(500).end('{"verdict":"allow"}'),
    error: /answered with the status 500/,
  },
  "answers no JSON": { answer: (response) => response.end("allow"), error: /its answer is no decision/ },
  "answers a verdict that there is not": { answer: decides({ verdict: "yes" }), error: /its answer is no decision/ },
  "answers two verdicts": { answer: decides([{ verdict: "allow" }, { verdict: "deny" }]), error: /no decision/ },
  "changes the input to a text": { answer: decides({ verdict: "change", input: "." }), error: /no decision/ },
  "changes the input to a path outside the workspace": {
    answer: decides({ verdict: "change", input: { path: "../../etc" } }),
    error: /\.\.\/\.\.\/etc/,
  },
  "closes the connection": { answer: (response) => response.destroy(), error: /cannot be reached/ },
};
for (const [what, { answer, error }] of Object.entries(ATTACKS))
  t.test(`attack: a hook that ${what} lets no call run`, async (t) => {
    await setHook({ timeout_ms: 500 });
    service.answer = answer;
    const startedAt = performance.now();
    t.match((await turnOf(alice)).error, error);
    t.ok(performance.now() - startedAt < 5000, "in time");
  });

t.test("attack: a hook cannot be at a private address that the policy does not name", async (t) => {
  service.answer = decides({ verdict: "allow" });
  const put = (policy: object) => fleet.daemon.admin("/products/sleepy/policy", { method: "PUT", body: policy });
  t.match(await put({ private_hosts: [] }), {
    status: 400,
    body: { error: { message: /tool_hook\.url: expected an https/ } },
  });
  const inside = { ...hook, url: `https://${service.host}/tools` };
  t.match(await put({ private_hosts: [], tool_hook: inside }), { status: 200 }, "by its form it may be public");
  const before = service.calls.length;
  t.match((await turnOf(alice)).error, /it may not be called/);
  t.equal(service.calls.length, before);
  const failing = async () => {
    const { checks } = (await fleet.daemon.admin("/admin/doctor")).body;
    return checks.find(({ name }: { name: string }) => name === "tool hook");
  };
  t.match(await failing(), { status: "warning", message: /that of sleepy did not decide about its last/ });
  await put({ private_hosts: [service.host], tool_hook: hook });
  t.equal((await turnOf(alice)).error, null);
  t.equal(await failing(), undefined);
});

t.test("where the policy says so, a person decides instead of a hook that fails", async (t) => {
  await setHook({ timeout_ms: 200, on_error: "ask" });
  service.answer = hangs;
  const stream = await alice.execute("in-place", LIST);
  const { data } = await stream.first("hitl_request");
  await alice.call("/hitl/respond", { request_id: data.request_id, answer: "allow_once" });
  t.match(await ended(alice, "in-place", stream), {
    error: null,
    part: { hook: { verdict: "ask", error: "it did not answer in time" } },
  });
});

t.test("a secret is replaced with an overlap, and no answer shows it again", async (t) => {
  await setHook();
  service.answer = decides({ verdict: "allow" });
  const next = await rotate({ grace_s: 600 });
  await turnOf(alice);
  const both = service.calls.at(-1)!;
  t.equal(String(both.headers["webhook-signature"]).split(" ").length, 2);
  for (const one of [secret, next]) t.ok(new Webhook(one).verify(both.body, both.headers as Record<string, string>));
  const own = "whsec_" + Buffer.alloc(32, 7).toString("base64");
  t.equal(await rotate({ secret: own }), own);
  await turnOf(alice);
  const one = service.calls.at(-1)!;
  t.equal(String(one.headers["webhook-signature"]).split(" ").length, 1);
  t.ok(new Webhook(own).verify(one.body, one.headers as Record<string, string>));
  secret = own;
  const shown = await fleet.daemon.admin("/products/sleepy");
  t.notMatch(shown.text, secret);
  t.notMatch((await fleet.daemon.admin("/admin/audit")).text, secret);
});

t.test(
  "a change of the policy holds at once for an engine that runs, and without a hook nobody is asked",
  async (t) => {
    await fleet.setPolicy({ tool_hook: null });
    const before = service.calls.length;
    t.equal((await turnOf(alice)).error, null);
    t.equal(service.calls.length, before);
    await setHook();
    t.equal((await turnOf(alice)).error, null);
    t.equal(service.calls.length, before + 1);
  },
);

t.test("an engine with a hook falls asleep, stays so, and asks again when a call wakes it", async (t) => {
  await alice.sleep();
  t.match(await alice.show(), { state: "sleeping" });
  await setHook({ timeout_ms: 4000 });
  t.match(await alice.show(), { state: "sleeping" }, "also when the hook changes");
  const before = service.calls.length;
  t.equal((await turnOf(alice)).error, null);
  t.equal(service.calls.length, before + 1);
});

const killed = (t: Test) => {
  service.answer = hangs;
  const before = service.calls.length;
  t.teardown(() => (service.answer = decides({ verdict: "allow" })));
  return async () => {
    await until("the product is asked", () => service.calls.length > before);
    return service.calls.at(-1)!;
  };
};

t.test("an engine killed while the product thinks asks again when it runs again, with the same id", async (t) => {
  await setHook();
  const asked = killed(t);
  const stream = await alice.execute("killed-engine", LIST);
  const first = await asked();
  service.answer = decides({ verdict: "allow" });
  process.kill((await alice.show()).pid, "SIGKILL");
  await stream.all().catch(() => undefined);
  const turn = await until("the turn is over", async () => {
    // The connection of the killed engine may be used again.
    const answer = await alice.call("/tasks/killed-engine/messages").catch(() => null);
    const part = answer?.body?.items?.[1]?.parts.find(({ type }: { type: string }) => type === "tool");
    return part?.status === "completed" ? part : null;
  });
  t.match(turn, { error: null });
  t.equal(service.calls.at(-1)!.headers["webhook-id"], first.headers["webhook-id"]);
});

t.test(
  "a daemon killed while the product thinks: the next one adopts the engine and asks, and the call runs once",
  async (t) => {
    await setHook();
    const asked = killed(t);
    const stream = await alice.execute("killed-daemon", LIST);
    await asked();
    await fleet.daemon.stop("SIGKILL");
    service.answer = decides({ verdict: "allow" });
    await fleet.restart();
    t.match(await ended(alice, "killed-daemon", stream), { error: null });
  },
);
