import type { Test } from "tap";
import { type BackendUnderTest, healthy, incarnationOf, started } from "./under-test.ts";

export async function listCases(t: Test, under: BackendUnderTest): Promise<void> {
  const { backend } = under;
  const listed = async (daemon = backend) => (await daemon.listOrphans([])).map(({ incarnation }) => incarnation);

  await t.test("what runs", async (t) => {
    const { order, process } = await started(t, under, await under.order("does-as-told.list"));
    const { incarnation: id } = order.launch;

    await t.test("is listed with what ends it", async (t) => {
      const found = (await backend.listOrphans([])).filter(({ incarnation }) => incarnation === id);
      t.match(found, [{ incarnation: id, pids: Array, fix: /\w/ }]);
    });

    await t.test("is listed by another daemon of the deployment", async (t) => {
      t.ok((await listed(under.laterDaemon())).includes(id));
    });

    await t.test("is not listed when it is known", async (t) => {
      const found = await backend.listOrphans([{ id, uid: null }]);
      t.notOk(found.some(({ incarnation }) => incarnation === id));
    });

    await t.test("is not listed in another deployment", async (t) => {
      t.same(await listed(under.otherDeployment()), []);
    });

    await t.test("is not signalled by being listed", async (t) => {
      t.match(await healthy(order, process), { kind: "healthy" });
    });

    await t.test("is not ended with the orphans of another incarnation", async (t) => {
      const other = { ...incarnationOf(order), id: crypto.randomUUID() };
      t.same(await backend.endOrphans(other), { kind: "exited" });
      t.match(await healthy(order, process), { kind: "healthy" });
    });

    await t.test("is not ended by another deployment", async (t) => {
      t.same(await under.otherDeployment().endOrphans(incarnationOf(order)), { kind: "exited" });
      t.match(await healthy(order, process), { kind: "healthy" });
    });

    await t.test("is ended by its incarnation alone, and its exit is reported", async (t) => {
      t.same(await backend.endOrphans(incarnationOf(order)), { kind: "killed" });
      const { signal, oom } = await process.exited;
      t.notOk(oom);
      if (under.reportsAtOnce) t.equal(signal, "SIGKILL");
      t.equal(await under.running(order), 0);
    });

    await t.test("is not listed after its end", async (t) => {
      t.notOk((await listed()).includes(id));
    });

    await t.test("needs no second end", async (t) => {
      t.same(await backend.endOrphans(incarnationOf(order)), { kind: "exited" });
    });
  });
}
