import { createHash } from "node:crypto";
import type { Test } from "tap";
import { engineStatus, setEngineKeys, sleepEngine } from "../../src/orchestrator/engine-calls/engine-control.ts";
import { listen } from "../../src/shared/http/http-server.ts";
import { HOST } from "../helpers/fleet.ts";
import { until } from "../helpers/until.ts";
import {
  type BackendUnderTest,
  CONTROL_TOKEN,
  ask,
  healthy,
  incarnationOf,
  nextOf,
  started,
  tell,
} from "./under-test.ts";

export async function callCases(t: Test, under: BackendUnderTest): Promise<void> {
  const { backend } = under;

  await t.test("at its address an engine", async (t) => {
    const { process } = await started(t, under, await under.order("does-as-told.calls"));
    const target = { url: process.address, token: CONTROL_TOKEN };

    await t.test("takes control calls", async (t) => {
      t.match(await engineStatus(target), { kind: "ok", status: { active_turns: 0 } });
    });

    await t.test("refuses them without its token", async (t) => {
      t.match(await engineStatus({ ...target, token: "another" }), { kind: "failed" });
    });

    await t.test("takes the keys of a rotation", async (t) => {
      const hash = createHash("sha256").update("next").digest("hex");
      await setEngineKeys(target, [{ hash, expires_at: null }]);
      t.same(await (await fetch(`${process.address}/keys`)).json(), { hashes: [hash] });
    });

    const noUsage = under.reportsUsage ? false : "nothing measures what engines use here";
    await t.test("reports what it uses", { skip: noUsage }, async (t) => {
      const before = (await backend.usage([process])).get(process)!;
      t.ok(before.memoryBytes > 10 * 2 ** 20 && before.memoryBytes < 2 ** 30);
      await ask(process, "spin", { ms: "150" });
      await until("its CPU time counts", async () => {
        const now = (await backend.usage([process])).get(process)!;
        return now.cpuMs >= before.cpuMs + 100;
      });
    });

    await t.test("reports nothing after its exit", async (t) => {
      await process.stop(5000);
      t.same((await backend.usage([process])).get(process), undefined);
      t.same(await backend.usage([]), new Map());
    });
  });

  await t.test("nothing answers at the address of a stopped engine", async (t) => {
    const { order, process } = await started(t, under);
    await process.stop(5000);
    backend.sockets.release(order.launch.engine_id);
    t.equal(await backend.addressConflict(incarnationOf(order)), null);
    await t.rejects(fetch(process.address));
  });

  const noPorts = under.takesHostPorts ? false : "this backend takes no ports of this host";
  await t.test("a program that took the address of a stopped engine is reported", { skip: noPorts }, async (t) => {
    const order = await under.order();
    const thief = await listen(() => undefined, HOST, order.launch.port);
    t.teardown(() => thief.close(0));
    t.match(await backend.addressConflict(incarnationOf(order)), { kind: "survived", reason: /listens on port/ });
  });

  const skip = under.holdsSockets ? false : "this backend holds no sockets";
  await t.test("a call waits while an engine restarts", { skip }, async (t) => {
    const { order, process } = await started(t, under);
    await under.kill(process);
    await process.exited;
    t.ok(backend.sockets.isHeld(order.launch.engine_id));
    const call = fetch(`${process.address}/health`).then((answer) => answer.status);
    await started(t, under, nextOf(order, crypto.randomUUID()));
    t.equal(await call, 200);
  });

  await t.test("a call to an engine that sleeps wakes it", { skip }, async (t) => {
    const { order, process } = await started(t, under);
    const { engine_id: id } = order.launch;
    await sleepEngine(
      { url: process.address, token: CONTROL_TOKEN },
      { idleMs: 0, noticesRead: 0, questionsRead: null },
    );
    t.match(await process.exited, { code: 79 });
    const woken = new Promise<void>((resolve) => backend.sockets.awaitCall(id, resolve));
    const call = fetch(`${process.address}/health`).then((answer) => answer.status);
    await woken;
    const next = await started(t, under, nextOf(order, crypto.randomUUID()));
    t.equal(await call, 200);
    t.match(await healthy(next.order, next.process), { kind: "healthy" });
  });

  await t.test("a call that cannot be served is answered, and a later one is", { skip }, async (t) => {
    const { order, process } = await started(t, under);
    const { engine_id: id } = order.launch;
    void tell(process, "exit", { code: "79" });
    await process.exited;
    backend.sockets.refuse(id, { code: "SLEEPING_BUSY", message: "too many engines are awake", retryAfterS: 7 });
    const answer = await fetch(`${process.address}/health`);
    t.same([answer.status, answer.headers.get("retry-after")], [503, "7"]);
    const next = await started(t, under, nextOf(order, crypto.randomUUID()));
    t.match(await ask(next.process, "launch"), { engine_id: id });
  });

  await t.test("a released address refuses calls", { skip }, async (t) => {
    const { order, process } = await started(t, under);
    await process.stop(5000);
    t.ok(backend.sockets.isHeld(order.launch.engine_id));
    backend.sockets.release(order.launch.engine_id);
    t.notOk(backend.sockets.isHeld(order.launch.engine_id));
    await t.rejects(fetch(process.address));
  });
}
