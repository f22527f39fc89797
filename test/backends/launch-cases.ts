import type { Test } from "tap";
import { shownProcess } from "../../src/contract/orchestrator/engine-handle.ts";
import { LaunchFailed, PortTaken } from "../../src/orchestrator/fleet/launch-failed.ts";
import { listen } from "../../src/shared/http/http-server.ts";
import { HOST } from "../helpers/fleet.ts";
import {
  type BackendUnderTest,
  CONTROL_TOKEN,
  PROVIDER_KEY,
  ask,
  clear,
  healthy,
  incarnationOf,
  launched,
  nextOf,
  started,
  storedOf,
} from "./under-test.ts";

export async function launchCases(t: Test, under: BackendUnderTest): Promise<void> {
  const { backend } = under;

  await t.test("an engine that is launched", async (t) => {
    const order = await under.order("does-as-told.launch");
    const process = await launched(t, under, order);

    await t.test("answers at its address with its identity", async (t) => {
      t.match(await healthy(order, process), { kind: "healthy", version: "1.2.3" });
    });

    await t.test("gets all of its parameters", async (t) => {
      t.match(await ask(process, "launch"), {
        engine_id: order.launch.engine_id,
        incarnation: order.launch.incarnation,
        product: "acme",
        user_id: "does-as-told.launch",
        control_token: CONTROL_TOKEN,
        settings: { LLM_API_KEY: PROVIDER_KEY },
        limits: order.launch.limits,
      });
    });

    await t.test("has a handle that names its backend and its version, and is JSON", async (t) => {
      t.match(process.handle, { backend: String, version: Number });
      t.same(JSON.parse(JSON.stringify(process.handle)), process.handle);
    });

    await t.test("tells operators a pid or none", async (t) => {
      const { pid } = shownProcess(process.handle);
      t.ok(pid === null || pid > 1);
    });

    await t.test("has no secret in its handle", async (t) => {
      t.notMatch(JSON.stringify(process.handle), new RegExp(`${CONTROL_TOKEN}|${PROVIDER_KEY}`));
    });

    await t.test("has no secret in its arguments, environment or specification", async (t) => {
      const visible = await under.visible(process);
      t.ok(visible.length > 0);
      t.notMatch(visible, new RegExp(`${CONTROL_TOKEN}|${PROVIDER_KEY}`));
    });

    await t.test("does not inherit the daemon's environment", async (t) => {
      const environment = Object.keys((await ask(process, "environment")) as object);
      t.notOk(environment.includes("NODE_OPTIONS") || environment.includes("TAP"), String(environment));
    });

    await t.test("lets the secrets that were handed over be removed", async (t) => {
      await process.settle();
      t.notOk(await under.holdsSecrets(order));
      await t.resolves(process.settle(), "twice is no error");
    });

    await t.test("is not launched a second time", async (t) => {
      t.ok((await backend.launch(order).catch((error: unknown) => error)) instanceof LaunchFailed);
      t.match(await healthy(order, process), { kind: "healthy" }, "the first one runs on");
      t.ok((await under.running(order)) > 0);
    });

    await t.test("counts as running for another daemon that launches it", async (t) => {
      const error = await under
        .laterDaemon()
        .launch(order)
        .catch((cause: unknown) => cause);
      t.ok(error instanceof LaunchFailed);
      t.match(await healthy(order, process), { kind: "healthy" });
    });
  });

  await t.test("a launch resolves before the engine is healthy", async (t) => {
    const order = await under.order("slow-start.launch");
    const process = await launched(t, under, order);
    if (under.reportsAtOnce) await t.rejects(fetch(`${process.address}/early`, { signal: AbortSignal.timeout(100) }));
    t.match(await healthy(order, process), { kind: "healthy" });
  });

  await t.test("four launches at once do not disturb each other", async (t) => {
    const engines = await Promise.all([1, 2, 3, 4].map(() => started(t, under)));
    const answers = await Promise.all(engines.map(({ process }) => ask(process, "launch")));
    t.same(
      answers.map((answer) => (answer as { engine_id: string }).engine_id),
      engines.map(({ order }) => order.launch.engine_id),
    );
  });

  const skip = under.takesHostPorts ? false : "this backend takes no ports of this host";
  await t.test("a port that another program listens on is PortTaken, and nothing is left", { skip }, async (t) => {
    const order = await under.order();
    const thief = await listen(() => undefined, HOST, order.launch.port);
    t.teardown(() => thief.close(0));
    t.teardown(() => clear(backend, order));
    t.ok((await backend.launch(order).catch((error: unknown) => error)) instanceof PortTaken);
    t.equal(await under.running(order), 0);
    t.notOk(await under.holdsSecrets(order));
    t.same(await backend.attach(incarnationOf(order), null), { kind: "gone", cause: "exit" });
  });

  await t.test("a program that cannot be started is LaunchFailed without a path, and nothing is left", async (t) => {
    const broken = under.brokenDaemon();
    const order = await under.order();
    t.teardown(() => clear(broken, order));
    const error = await broken.launch(order).catch((cause: unknown) => cause);
    if (!(error instanceof LaunchFailed)) throw new Error("it was started");
    t.notMatch(error.message, /\/nowhere/);
    t.equal(await under.running(order), 0);
    t.notOk(await under.holdsSecrets(order));
  });

  await t.test("the next incarnation has the files and the log of the one before", async (t) => {
    const { order, process } = await started(t, under);
    await ask(process, "write", { name: "note", text: "kept" });
    await process.stop(5000);
    const next = await started(t, under, nextOf(order, crypto.randomUUID()));
    t.equal(await ask(next.process, "read", { name: "note" }), "kept");
    t.same(await backend.logs(storedOf(order), 2), ["ready", "ready"]);
  });
}
