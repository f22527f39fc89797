import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { RunRecord } from "../../src/contract/orchestrator/schedule.ts";
import { orchctlFor } from "../helpers/orchctl.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const fleet = await openFleet(t, { policy: { min_schedule_interval_s: 1, max_schedules: 50 } });
const soon = (ms = 1000) => new Date(Date.now() + ms).toISOString();
const create = async (user: string, body: object) => {
  const answer = await fleet.platform("POST", `/engines/${user}/schedules`, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
};
const runsOf = async (user: string, id: string): Promise<RunRecord[]> =>
  (await fleet.platform("GET", `/engines/${user}/schedules/${id}/runs`)).body.data;
const runIn = (user: string, id: string, state: string): Promise<RunRecord> =>
  until(`a run is ${state}`, async () => (await runsOf(user, id)).find((run) => run.state === state) ?? null);
const eventsOf = async (user: string): Promise<{ type: string; data: Record<string, unknown>; reason: string }[]> =>
  (await fleet.platform("GET", `/engines/${user}/events?limit=200`)).body.data;

t.test("a schedule wakes its engine at its time and runs its turn once", async (t) => {
  const anna = await fleet.provision("anna");
  await anna.sleep();
  const made = await create("anna", {
    name: "greeting",
    timing: { kind: "at", at: soon() },
    message: "/say Good morning.",
    task_id: "talk",
  });
  t.match(made, { name: "greeting", enabled: true, missed: "skip", last_run: null, next_runs: { length: 1 } });
  const run = await runIn("anna", made.id, "done");
  t.equal(run.due_at, made.next_due_at);
  t.match(run, { task_id: "talk", turn_id: /^turn_/, error: null });
  t.match(await anna.show(), { state: "running", awake: { woken_by: "schedule" } });
  const { body } = await anna.call("/execute/replay?task_id=talk");
  t.equal(body.events.filter(({ data }: { data: { phase?: string } }) => data.phase === "completed").length, 1);
  const shown = (await fleet.platform("GET", `/engines/anna/schedules/${made.id}`)).body;
  t.match(shown, { next_due_at: null, next_runs: [], last_run: { id: run.id, state: "done" } });
  const events = await eventsOf("anna");
  t.match(
    events.filter(({ type }) => type.startsWith("schedule.")).map(({ type }) => type),
    ["schedule.ran", "schedule.created"],
  );
  t.match(events.find(({ type }) => type === "schedule.ran")?.data, { run_id: run.id, turn_id: run.turn_id });
  const metrics = (await fleet.daemon.admin("/metrics")).text;
  t.match(metrics, 'orch_scheduled_runs_total{product="sleepy",trigger="schedule",outcome="done"} 1');
  const audit = (await fleet.daemon.admin("/admin/audit?limit=200")).text;
  t.ok(audit.includes("schedule.created") && !audit.includes("Good morning"));
});

t.test("runs of one schedule follow each other, and one of a busy task waits for it", async (t) => {
  const bob = await fleet.provision("bob");
  const made = await create("bob", {
    name: "tick",
    timing: { kind: "every", every_s: 1 },
    message: "/say tick",
  });
  await until(
    "three runs are done",
    async () => (await runsOf("bob", made.id)).filter(({ state }) => state === "done").length >= 3,
  );
  const paused = await fleet.platform("PATCH", `/engines/bob/schedules/${made.id}`, { enabled: false });
  t.match(paused, { status: 200, body: { enabled: false, next_due_at: null } });
  const runs = await until("none is open", async () => {
    const all = await runsOf("bob", made.id);
    return all.every(({ ended_at }) => ended_at !== null) ? all : null;
  });
  const done = runs.filter(({ state }) => state === "done");
  t.equal(new Set(done.map(({ due_at }) => due_at)).size, done.length);
  t.equal(new Set(done.map(({ task_id }) => task_id)).size, done.length, "each has a conversation of its own");
  const stream = await bob.execute("talk", "/slow 1500\n/say slow");
  const now = await create("bob", {
    name: "busy",
    timing: { kind: "at", at: soon(60_000) },
    message: "/say next",
    task_id: "talk",
  });
  const asked = await fleet.platform("POST", `/engines/bob/schedules/${now.id}/run`, {});
  t.match(asked, { status: 202, body: { state: "waiting", schedule_id: now.id } });
  t.match(
    await until("it waits", async () => (await runsOf("bob", now.id)).find(({ error }) => error !== null) ?? null),
    {
      state: "waiting",
      error: /its inbox/,
    },
  );
  await stream.all();
  await runIn("bob", now.id, "done");
});

t.test("a turn that asks a person waits, and its run ends with it", async (t) => {
  const carl = await fleet.provision("carl");
  const made = await create("carl", {
    name: "question",
    timing: { kind: "at", at: soon(3_600_000) },
    message: "/ask Which one? | left | right\n/ask How far? | near | far\n/say thanks",
  });
  await fleet.platform("POST", `/engines/carl/schedules/${made.id}/run`, {});
  const run = await runIn("carl", made.id, "waiting_for_human");
  const waiting = async () => (await eventsOf("carl")).filter(({ type }) => type === "turn.waiting");
  const ids = { run_id: run.id, schedule_id: made.id, webhook_id: null, task_id: run.task_id, turn_id: run.turn_id };
  t.match(await waiting(), [{ reason: null, data: ids }]);
  t.notMatch(JSON.stringify(await waiting()), "Which one", "it does not repeat the message");
  await carl.sleep();
  // The turn asks again when its engine has woken.
  const { request_id } = await until("it asks", async () => (await carl.call("/hitl/pending")).body.requests[0]);
  t.equal((await waiting()).length, 1, "a question is told once");
  t.equal((await carl.call("/hitl/respond", { request_id, answer: "left" })).status, 200);
  const next = await until("it asks again", async () => (await carl.call("/hitl/pending")).body.requests[0]);
  await carl.sleep();
  t.match(await waiting(), [{ data: ids }, { data: ids }], "the second question is told too");
  await until("it runs again", async () => (await carl.call("/hitl/pending")).body.requests[0]);
  t.equal((await carl.call("/hitl/respond", { request_id: next.request_id, answer: "far" })).status, 200);
  await until("the turn has ended", async () => (await carl.call("/hitl/pending")).body.requests.length === 0);
  await carl.isIn("running");
  await carl.sleep();
  t.match(await runIn("carl", made.id, "done"), { error: null });
  t.equal((await waiting()).length, 2, "each is told once");
});

t.test("a turn that calls a tool of a client waits, and its run ends with the answer", async (t) => {
  const eve = await fleet.provision("eve");
  const declared = { description: "Looks", runs: "client" };
  const folder = join(fleet.daemon.dataDir, "engines", eve.id, "catalog/tools");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "look.json"), JSON.stringify(declared));
  await eve.call("/admin/reload-catalog", {});
  const made = await create("eve", {
    name: "look",
    timing: { kind: "at", at: soon(3_600_000) },
    message: "/tool look {}\n/tool look {}\n/say thanks",
  });
  await fleet.platform("POST", `/engines/eve/schedules/${made.id}/run`, {});
  const run = await runIn("eve", made.id, "waiting_for_human");
  const waiting = async () => (await eventsOf("eve")).filter(({ type }) => type === "turn.waiting");
  t.match(await waiting(), [{ data: { run_id: run.id, turn_id: run.turn_id } }]);
  await eve.sleep();
  const calls = await until("both calls are open", async () => {
    const { body } = await eve.call("/tools/pending");
    return body.calls.length === 2 && body.calls;
  });
  for (const { tool_call_id } of calls.toReversed())
    t.equal((await eve.call("/tools/respond", { tool_call_id, output: "seen" })).status, 200);
  await until("the turn has ended", async () => (await eve.call(`/turns/${run.turn_id}`)).body.state === "completed");
  await eve.isIn("running");
  await eve.sleep();
  t.match(await runIn("eve", made.id, "done"), { error: null });
});

t.test("a run of an engine that a person stopped is refused, and one of a paused product is missed", async (t) => {
  const dora = await fleet.provision("dora");
  await dora.post("stop", { drain_s: 0 });
  const made = await create("dora", { name: "nightly", timing: { kind: "at", at: soon(500) }, message: "/say hi" });
  t.match(await runIn("dora", made.id, "refused"), { error: "the engine is stopped; start it", turn_id: null });
  t.equal((await dora.show()).state, "stopped");
  await fleet.setPolicy({ schedules_paused: true });
  const other = await create("dora", { name: "other", timing: { kind: "at", at: soon(500) }, message: "/say hi" });
  t.match(await runIn("dora", other.id, "missed"), { error: "the product's schedules are paused" });
  await fleet.setPolicy({ schedules_paused: false });
  t.match(
    (await eventsOf("dora")).filter(({ type }) => /failed|missed/.test(type)),
    [{ type: "schedule.missed" }, { type: "schedule.failed", reason: "the engine is stopped; start it" }],
  );
  await dora.post("start");
  const failing = await create("dora", { name: "f", timing: { kind: "at", at: soon(500) }, message: "/fail provider" });
  t.match(await runIn("dora", failing.id, "failed"), { error: "the turn ended with LLM_PROVIDER_ERROR" });
  const nobody = await create("dora", {
    name: "n",
    timing: { kind: "at", at: soon(500) },
    message: "hi",
    agent: "nobody",
  });
  t.match(await runIn("dora", nobody.id, "failed"), { error: /^NOT_FOUND: agent: there is no agent named nobody/ });
  t.equal((await fleet.platform("DELETE", `/engines/dora/schedules/${made.id}`)).status, 200);
  t.equal((await fleet.platform("GET", `/engines/dora/schedules/${made.id}`)).body.error.code, "SCHEDULE_NOT_FOUND");
  await fleet.platform("DELETE", "/engines/dora");
  await fleet.provision("dora");
  t.same((await fleet.platform("GET", "/engines/dora/schedules")).body.data, [], "gone with the engine");
});

t.test("a run whose engine crashes while it is asked for the turn runs once", async (t) => {
  const gina = await fleet.provision("gina");
  const message = `/say done\n${"x".repeat(20_000)}`;
  const made = await create("gina", { name: "once", timing: { kind: "at", at: soon(3_600_000) }, message });
  const { pid, port } = await gina.show();
  process.kill(pid, "SIGSTOP");
  t.equal((await fleet.platform("POST", `/engines/gina/schedules/${made.id}/run`, {})).status, 202);
  await until("the engine has the call unread", () => unreadBytes(port) > 20_000);
  process.kill(pid, "SIGKILL");
  t.match(await runIn("gina", made.id, "done"), { error: null });
  t.equal((await runsOf("gina", made.id)).length, 1);
});

/** What the process at a port of this machine has not read of its connections. */
const unreadBytes = (port: number): number =>
  readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = "", , state]) => state === "01" && Number.parseInt(local.split(":")[1] ?? "", 16) === port)
    .reduce((sum, [, , , , queues = ""]) => sum + Number.parseInt(queues.split(":")[1] ?? "0", 16), 0);

t.test("orchctl creates, shows, pauses, runs and deletes schedules and webhooks", async (t) => {
  const run = orchctlFor(t, fleet.daemon);
  const orchctl = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args, { env: { ORCH_PLATFORM_KEY: fleet.platformKey } });
    return code === 0 ? stdout : `${code} ${stderr}`;
  };
  await fleet.platform("POST", "/engines/provision", { user_id: "fred", start: false });
  const cron = ["--cron", "0 8 * * *", "--time-zone", "Europe/Berlin", "--missed", "run_once", "--task", "daily"];
  t.match(await orchctl("schedules", "create", "fred", "briefing", "/say", "hi", ...cron), /briefing runs next at 20/);
  t.match(await orchctl("schedules", "create", "fred", "x", "hi"), /^2 .*expected one of --at, --cron and --every/);
  t.match(await orchctl("schedules", "create", "fred", "x", "hi", "--every", "1h", "--paused"), "x is paused");
  t.match(
    await orchctl("schedules", "ls", "fred"),
    /briefing +0 8 \* \* \* \(Europe\/Berlin\) +20[^]*x +every 1 h from .* paused/,
  );
  t.match(await orchctl("schedules", "pause", "fred", "briefing"), "briefing is paused");
  t.match(await orchctl("schedules", "resume", "fred", "briefing"), "briefing runs next at");
  t.match(await orchctl("schedules", "run", "fred", "briefing"), /started run_/);
  t.match(
    await until("it was refused", async () => {
      const shown = await orchctl("schedules", "show", "fred", "briefing");
      return shown.includes("refused") && shown;
    }),
    /message +\/say hi\nconversation +daily[^]*missed runs +run_once[^]*refused .*the engine is stopped; start it/,
  );
  t.match(await orchctl("schedules", "rm", "fred", "x", "--yes"), "deleted x");
  t.match(await orchctl("schedules", "show", "fred", "x"), /fred has no schedule x/);
  t.match(
    await orchctl("webhooks", "create", "fred", "orders", "New: {{payload}}"),
    /address +http.*\/webhooks\/whk_.*\nsecret +whsec_/,
  );
  t.match(await orchctl("webhooks", "pause", "fred", "orders"), "paused orders");
  t.match(await orchctl("webhooks", "list", "fred"), /orders +paused +\/webhooks\/whk_/);
  t.match(await orchctl("webhooks", "resume", "fred", "orders"), "resumed orders");
  t.match(await orchctl("webhooks", "rotate-secret", "fred", "orders", "--grace", "1h"), /secret +whsec_/);
  t.match(await orchctl("webhooks", "show", "fred", "orders"), /template +New: \{\{payload\}\}[^]*no runs yet/);
  t.match(await orchctl("webhooks", "rm", "fred", "orders", "--yes"), "deleted orders");
});

t.test("an error in a schedule names the field", async (t) => {
  const base = { name: "x", message: "hi", timing: { kind: "cron", cron: "0 9 * * 1-5", time_zone: "Europe/Berlin" } };
  const cron = (text: string) => ({ timing: { kind: "cron", cron: text } });
  const cases: readonly (readonly [object, string])[] = [
    [cron("0 25 * * *"), 'timing.cron: field 2 (hour), "25": the value is out of range'],
    [cron("0 9 * * *  foo"), 'timing.cron: field 6 (day of week), "foo"'],
    [cron("0 9 * *"), "timing.cron: expected 5 fields (minute, hour, day of month, month, day of week)"],
    [cron("0 0 30 2 *"), "timing.cron: no date matches it"],
    [cron("@reboot"), "timing.cron: unknown name @reboot"],
    [{ timing: { ...base.timing, time_zone: "Mars/Base" } }, 'timing.time_zone: unknown time zone "Mars/Base"'],
    [{ timing: { ...base.timing, time_zone: "+02:00" } }, "timing.time_zone: unknown time zone"],
    [{ timing: { kind: "every", every_s: 0 } }, "timing.every_s: expected an integer from 1"],
    [{ timing: { kind: "at", at: "2026-02-30T00:00:00Z" } }, "timing.at: expected a time in ISO 8601 with its offset"],
    [{ timing: { kind: "at", at: "2020-01-01T00:00:00Z" } }, "timing.at: expected a time in the future"],
    [{ timing: { kind: "never" } }, 'timing.kind: expected the kind "at", "cron" or "every"'],
    [{ timing: { ...base.timing, every_s: 5 } }, "timing.every_s: unknown field"],
    [{ ends_at: "2020-01-01T00:00:00Z" }, "ends_at: expected at least one run in the future"],
    [{ missed: "sometimes" }, "missed: expected one of"],
    [{ missed_limit: 101 }, "missed_limit: expected an integer from 1 to 100"],
    [{ message: "  " }, "message: expected more than white space"],
    [{ mesage: "hi" }, "mesage: unknown field"],
    [{ name: "" }, "name: expected 1 to 100 bytes"],
  ];
  await fleet.provision("erin");
  for (const [wrong, expected] of cases) {
    const { status, body } = await fleet.platform("POST", "/engines/erin/schedules", { ...base, ...wrong });
    t.match({ status, error: body.error }, { status: 400, error: { code: "INVALID_REQUEST" } }, expected);
    t.ok(body.error?.message.startsWith(expected), `${expected}: ${body.error?.message}`);
  }
  await create("erin", base);
  const again = await fleet.platform("POST", "/engines/erin/schedules", base);
  t.equal(again.body.error.message, "name: the engine has another schedule with this name");
  await fleet.setPolicy({ min_schedule_interval_s: 60, max_schedules: 1 });
  const often = { ...base, name: "y", timing: { kind: "cron", cron: "*/20 * * * * *" } };
  t.match(
    (await fleet.platform("POST", "/engines/erin/schedules", often)).body.error.message,
    /at least 60 s .* got 20 s/,
  );
  t.equal(
    (await fleet.platform("POST", "/engines/erin/schedules", { ...base, name: "y" })).body.error.code,
    "QUOTA_EXCEEDED",
  );
});
