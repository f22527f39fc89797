import type { Test } from "tap";
import { until } from "../helpers/until.ts";
import {
  type BackendUnderTest,
  GONE,
  ask,
  attached,
  clear,
  healthy,
  incarnationOf,
  launched,
  nextOf,
  started,
  storedOf,
} from "./under-test.ts";

export async function attachCases(t: Test, under: BackendUnderTest): Promise<void> {
  await t.test("after SIGKILL of its daemon, an engine", async (t) => {
    const order = await under.order("does-as-told.adopted");
    const later = under.laterDaemon();
    t.teardown(() => clear(later, order));
    const handle = await under.launchAndDie(order);
    const process = await attached(later, order, handle);

    await t.test("runs on at the same address", async (t) => {
      t.match(await healthy(order, process), { kind: "healthy" });
    });

    await t.test("has the same handle", async (t) => {
      t.same(process.handle, handle);
    });

    await t.test("is found without a handle, as one that was never recorded", async (t) => {
      t.same((await attached(later, order, null)).handle, handle);
    });

    await t.test("keeps its secrets until the next daemon settles it", async (t) => {
      await process.settle();
      t.notOk(await under.holdsSecrets(order));
    });

    await t.test("is listed", async (t) => {
      t.match(
        (await later.listOrphans([])).map(({ incarnation }) => incarnation),
        [order.launch.incarnation],
      );
    });

    const skip = under.reportsUsage ? false : "nothing measures what engines use here";
    await t.test("reports its usage", { skip }, async (t) => {
      t.ok((await later.usage([process])).get(process)!.memoryBytes > 10 * 2 ** 20);
    });

    await t.test("has its log", async (t) => {
      t.same(await later.logs(storedOf(order), 5), ["ready"]);
    });

    await t.test("is stopped with its child processes, and its exit is reported before", async (t) => {
      await ask(process, "fork");
      let hasExited = false;
      void process.exited.then(() => (hasExited = true));
      t.match(await process.stop(500), { kind: /exited|killed/ });
      t.ok(hasExited);
      t.equal(await under.running(order), 0);
    });

    await t.test("is gone after its exit", async (t) => {
      t.same(await later.attach(incarnationOf(order), handle), GONE);
      t.same(await later.attach(incarnationOf(order), null), GONE);
    });
  });

  await t.test("a handle", async (t) => {
    const { order, process } = await started(t, under);
    const { handle } = process;
    const later = under.laterDaemon();
    const ask = (change: object) => later.attach(incarnationOf(order), { ...handle, ...change });

    await t.test("of another backend is unknown", async (t) => {
      t.match(await ask({ backend: "another" }), { kind: "unknown", reason: /another/ });
    });

    await t.test("of a newer daemon is unknown", async (t) => {
      t.match(await ask({ version: 1000 }), { kind: "unknown" });
    });

    await t.test("without its fields is unknown", async (t) => {
      const { backend, version } = handle;
      t.match(await later.attach(incarnationOf(order), { backend, version }), { kind: "unknown" });
    });

    await t.test("of another incarnation is gone", async (t) => {
      t.same(await later.attach({ ...incarnationOf(order), id: crypto.randomUUID() }, handle), GONE);
    });

    const earlier = under.ofEarlierBoot(handle);
    await t.test("of an earlier boot of the machine is gone by the host", { skip: earlier === null }, async (t) => {
      t.same(await later.attach(incarnationOf(order), earlier), { kind: "gone", cause: "host" });
    });

    await t.test("of an earlier incarnation is gone after the next one was launched", async (t) => {
      await process.stop(2000);
      const next = await started(t, under, nextOf(order, crypto.randomUUID()));
      t.same(await later.attach(incarnationOf(order), handle), GONE);
      t.match(await healthy(next.order, next.process), { kind: "healthy" });
    });

    await t.test("that is asked for changes nothing of what runs", async (t) => {
      const engine = await started(t, under);
      const asked = await Promise.all(
        [1, 2, 3].map(() => later.attach(incarnationOf(engine.order), engine.process.handle)),
      );
      t.same(
        asked.map(({ kind }) => kind),
        ["running", "running", "running"],
      );
      t.match(await healthy(engine.order, engine.process), { kind: "healthy" });
      t.equal(await under.running(engine.order), 1);
    });
  });

  await t.test("an engine that does not answer is attached", async (t) => {
    const order = await under.order("never-healthy.attach");
    const process = await launched(t, under, order);
    await until("it runs", async () => (await under.running(order)) > 0);
    const later = await attached(under.laterDaemon(), order, process.handle);
    t.match(await later.stop(2000), { kind: /exited|killed/ });
    t.match(await process.exited, { oom: false });
  });

  await t.test("a crash while no daemon runs leaves it gone, and its child processes can be ended", async (t) => {
    const order = await under.order();
    const later = under.laterDaemon();
    t.teardown(() => clear(later, order));
    const handle = await under.launchAndDie(order);
    const process = await attached(under.laterDaemon(), order, handle);
    await ask(process, "fork");
    await under.kill(process);
    await process.exited;
    t.same(await later.attach(incarnationOf(order), handle), GONE);
    t.match(await later.endOrphans(incarnationOf(order)), { kind: /exited|killed/ });
    t.equal(await under.running(order), 0);
  });
}
