import type { Test } from "tap";
import { until } from "../helpers/until.ts";
import {
  type BackendUnderTest,
  ask,
  attached,
  healthy,
  incarnationOf,
  launched,
  nextOf,
  started,
  tell,
  storedOf,
} from "./under-test.ts";

export async function exitCases(t: Test, under: BackendUnderTest): Promise<void> {
  const { backend } = under;
  const nobodyLeft = (order: Parameters<typeof under.running>[0]) =>
    until("no process is left", async () => (await under.running(order)) === 0);

  await t.test("an engine that exits at once reports its exit code", async (t) => {
    const order = await under.order("exits-at-once.exit");
    const process = await launched(t, under, order);
    t.same(await healthy(order, process), { kind: "exited", exit: { code: 78, signal: null, oom: false } });
    t.same(await process.stop(1000), { kind: "exited" }, "to stop it is no error");
    await until("its secrets are removed", async () => !(await under.holdsSecrets(order)));
    t.same(await backend.logs(storedOf(order), 5), ["LLM_PROVIDER is not one of ours"]);
  });

  for (const code of [0, 1, 79, 255]) {
    await t.test(`exit code ${code} is reported`, async (t) => {
      const { process } = await started(t, under);
      void tell(process, "exit", { code: String(code) });
      t.same(await process.exited, { code, signal: null, oom: false });
    });
  }

  await t.test("an abort is reported", async (t) => {
    const { process } = await started(t, under);
    void tell(process, "abort");
    t.same(await process.exited, { code: null, signal: "SIGABRT", oom: false });
  });

  await t.test("a kill from outside is reported, to all who wait", async (t) => {
    const { process } = await started(t, under);
    const [first, second] = [process.exited, process.exited];
    await under.kill(process);
    t.same(await first, { code: null, signal: "SIGKILL", oom: false });
    t.same(await second, await first);
  });

  await t.test("an engine beyond its memory is reported as such", { skip: !under.limitsMemory }, async (t) => {
    const order = await under.order("does-as-told.memory", {
      limits: { max_processes: 256, memory_mb: 128, disk_mb: 2048 },
    });
    const { process } = await started(t, under, { ...order, memoryMb: 128 });
    void tell(process, "fill");
    t.same(await process.exited, { code: null, signal: "SIGKILL", oom: true });
  });

  await t.test("after a crash no child process is left, and the next incarnation starts", async (t) => {
    const { order, process } = await started(t, under);
    await ask(process, "fork");
    t.ok((await under.running(order)) >= 4);
    await under.kill(process);
    await process.exited;
    const next = nextOf(order, crypto.randomUUID());
    await started(t, under, next);
    await nobodyLeft(order);
  });

  await t.test("a stop ends an engine that goes by itself", async (t) => {
    const { order, process } = await started(t, under);
    t.same(await process.stop(10_000), { kind: "exited" });
    t.match(await process.exited, { oom: false });
    t.equal(await under.running(order), 0);
  });

  await t.test("a stop kills an engine that ignores SIGTERM", async (t) => {
    const { order, process } = await started(t, under, await under.order("ignores-sigterm.exit"));
    const begin = performance.now();
    t.same(await process.stop(400), { kind: "killed" });
    t.ok(performance.now() - begin >= 350, "not before its time");
    t.equal(await under.running(order), 0);
  });

  await t.test("a stop ends an engine that hangs", async (t) => {
    const { process } = await started(t, under);
    void tell(process, "hang");
    t.match(await process.stop(300), { kind: /exited|killed/ });
  });

  await t.test("a stop ends an engine that never became healthy, and its secrets are gone", async (t) => {
    const order = await under.order("never-healthy.exit");
    const process = await launched(t, under, order);
    t.match(await process.stop(5000), { kind: /exited|killed/ });
    await until("its secrets are removed", async () => !(await under.holdsSecrets(order)));
  });

  await t.test("a stop ends the whole tree of processes", async (t) => {
    const { order, process } = await started(t, under);
    await ask(process, "fork");
    t.match(await process.stop(500), { kind: /exited|killed/ });
    t.equal(await under.running(order), 0);
  });

  await t.test("a second stop joins the first, and the shorter time applies", async (t) => {
    const { process } = await started(t, under, await under.order("ignores-sigterm.twice"));
    const begin = performance.now();
    const slow = process.stop(30_000);
    t.same(await process.stop(200), { kind: "killed" });
    t.same(await slow, { kind: "killed" });
    t.ok(performance.now() - begin < 15_000);
  });

  await t.test("the exit of an attached engine is reported once to each daemon", async (t) => {
    const { order, process } = await started(t, under);
    const later = under.laterDaemon();
    const [one, two] = [await attached(later, order, process.handle), await attached(later, order, process.handle)];
    let reports = 0;
    for (const each of [process, one, two]) void each.exited.then(() => reports++);
    await under.kill(process);
    await Promise.all([process.exited, one.exited, two.exited]);
    t.equal(reports, 3);
    t.same(await later.attach(incarnationOf(order), process.handle), { kind: "gone", cause: "exit" });
  });
}
