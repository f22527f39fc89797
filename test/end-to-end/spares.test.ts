import { readFileSync, readlinkSync } from "node:fs";
import t from "tap";
import { DEFAULT_POLICY } from "../../src/contract/orchestrator/policy.ts";
import { defaultSpares } from "../../src/orchestrator/rules/default-spares.ts";
import { memoryTotalMb } from "../../src/shared/host-resources.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { claims, kernelFacts, publicFacts, sparePids, sparesReady } from "../helpers/spares.ts";

const SECRET = "provider-key-of-the-spares-test";
const fleet = await openFleet(t, { env: { ORCH_WARM_ENGINES: "2", LLM_PROVIDER: "sandbox", LLM_API_KEY: SECRET } });
const { daemon } = fleet;

t.test("an engine is a process that waited for it", async (t) => {
  await sparesReady(daemon, 2);
  const waiting = sparePids(daemon.dataDir);
  t.equal(waiting.length, 2);
  for (const pid of waiting) t.notOk(readFileSync(`/proc/${pid}/environ`, "utf8").includes(SECRET));
  const anna = await fleet.provision("anna");
  const { pid, port, incarnation } = await anna.show();
  t.ok(waiting.includes(pid), "it is one of the spares");
  t.match(await claims(daemon), { claimed: 1, none_left: 0, unfit: 0 });
  const frames = await (await anna.execute("talk", "/say Oslo it is")).all();
  t.match(frames.at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
  const launchFile = `${daemon.dataDir}/run/launch-${incarnation}.json`;
  const facts = publicFacts(pid);
  t.match(facts.arguments, launchFile, "its arguments name it");
  t.equal(facts.launchFile, launchFile);
  for (const name of ["environ", "cmdline"]) t.notOk(readFileSync(`/proc/${pid}/${name}`, "utf8").includes(SECRET));
  t.match(readlinkSync(`/proc/${pid}/cwd`), anna.id);
  t.match(readlinkSync(`/proc/${pid}/fd/1`), /engine\.log$/);
  t.match(readFileSync(readlinkSync(`/proc/${pid}/fd/1`), "utf8"), "engine accepts turns");
  t.match((await anna.call("/health")).body, { status: "ok", incarnation });
  t.ok(port > 0);
  await sparesReady(daemon, 2);
});

t.test("for the kernel it is as one that was booted", async (t) => {
  await sparesReady(daemon, 2);
  const { claimed = 0, none_left: before = 0 } = await claims(daemon);
  const engines = await Promise.all(["claimed-1", "claimed-2"].map((user) => fleet.provision(user)));
  t.match(await claims(daemon), { claimed: claimed + 2, none_left: before }, "both spares were claimed");
  // No spare has this heap, however fast the pool is refilled.
  await fleet.setPolicy({ memory_mb: DEFAULT_POLICY.memory_mb + 64 });
  engines.push(await fleet.provision("booted"));
  t.match(await claims(daemon), { claimed: claimed + 2, none_left: before + 1 }, "each start is counted");
  await fleet.setPolicy({ memory_mb: DEFAULT_POLICY.memory_mb });
  const records = await Promise.all(engines.map((engine) => engine.show()));
  const [one, ...others] = records.map(({ pid, id, incarnation }) =>
    JSON.stringify(kernelFacts(pid)).replaceAll(id, "ID").replaceAll(incarnation, "INCARNATION"),
  );
  for (const other of others) t.equal(other, one);
  for (const { user } of engines) await fleet.platform("DELETE", `/engines/${user}`);
});

t.test("a wake takes one, and so does a restart after a crash", async (t) => {
  await sparesReady(daemon, 2);
  const { claimed = 0 } = await claims(daemon);
  const ben = await fleet.provision("ben");
  await ben.sleep();
  await sparesReady(daemon, 2);
  t.equal((await ben.call("/health")).status, 200);
  const woken = await ben.isIn("running");
  await sparesReady(daemon, 2);
  process.kill(woken.pid, "SIGKILL");
  await until("it runs again", async () => {
    const { state, pid } = await ben.show();
    return state === "running" && pid !== woken.pid;
  });
  t.match(await claims(daemon), { claimed: claimed + 3 });
});

t.test("a spare that is killed is replaced", async (t) => {
  await sparesReady(daemon, 2);
  const [pid = 0] = sparePids(daemon.dataDir);
  process.kill(pid, "SIGKILL");
  await until("another waits", () => {
    const pids = sparePids(daemon.dataDir);
    return pids.length === 2 && !pids.includes(pid);
  });
  await sparesReady(daemon, 2);
  t.equal(sparePids(daemon.dataDir).length, 2, "and no more");
});

t.test("no spare outlives its daemon, and engines that were spares do", async (t) => {
  await sparesReady(daemon, 2);
  const [stalled = 0] = sparePids(daemon.dataDir);
  const { body } = await fleet.platform("GET", "/engines/anna");
  // It cannot notice that its daemon ends.
  process.kill(stalled, "SIGSTOP");
  await daemon.stop("SIGKILL");
  await until("the other one has ended", () => sparePids(daemon.dataDir).length === 1);
  const next = await fleet.restart({ ORCH_WARM_ENGINES: "1" });
  t.notOk(sparePids(daemon.dataDir).includes(stalled), "the next daemon ends what is left");
  t.match((await fleet.platform("GET", "/engines/anna")).body, { state: "running", pid: body.pid });
  await sparesReady(next, 1);
  t.match((await next.admin("/admin/doctor")).text, "1 of 1 ready");
  await next.stop();
  await until("a daemon that stops ends its spares", () => sparePids(daemon.dataDir).length === 0);
});

t.test("by default as many are kept as the memory suggests, and a start says whether it found one", async (t) => {
  const next = await fleet.restart({ ORCH_WARM_ENGINES: "" });
  const target = defaultSpares(memoryTotalMb());
  await sparesReady(next, target);
  const { body } = await next.admin("/admin/status");
  t.match(body, { spares: { target, problem: null }, awake: { engine_mb: 40 } });
  t.ok(body.awake.limit > target);
  await Promise.all(Array.from({ length: target }, (_, index) => fleet.provision(`default-${index}`)));
  await fleet.setPolicy({ memory_mb: DEFAULT_POLICY.memory_mb + 64 });
  await fleet.provision("without-spare");
  const { text } = await next.admin("/metrics");
  const boots = (spare: string) =>
    Number(new RegExp(`^orch_boot_seconds_count\\{outcome="running",spare="${spare}"\\} (\\d+)$`, "m").exec(text)?.[1]);
  t.ok(target === 0 || boots("claimed") >= target, String(text.match(/^orch_boot_seconds_count.*$/gm)));
  t.ok(boots(target === 0 ? "off" : "none_left") > 0);
  t.match(await claims(next), { unfit: 0 });
  await next.stop();
  await fleet.restart({ ORCH_WARM_ENGINES: "0" });
});
