import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { launchEngine, startEngine } from "../../helpers/engine.ts";

t.test("SIGTERM lets a short turn end, refuses new ones, and exits with 0", async (t) => {
  const engine = await startEngine(t);
  const stream = await engine.execute({ task_id: "short", message: "/slow 400\n/say done" });
  await stream.first("thread_lifecycle");
  const exited = once(engine.process, "exit");
  engine.process.kill("SIGTERM");
  const end = (await stream.all()).at(-1)?.data;
  t.equal(end.phase, "completed");
  t.strictSame(await exited, [0, null]);
});

t.test("SIGTERM before anything was asked exits with 0 as well", async (t) => {
  const engine = await startEngine(t);
  t.equal(await engine.stop(), 0);
});

t.test("what stops a start is told in plain words", async (t) => {
  const exitOf = async (options: Parameters<typeof launchEngine>[1]) => {
    const { process, output } = await launchEngine(t, options);
    const [code] = await once(process, "exit");
    return { code, output: output() };
  };

  t.test("a port in use", async (t) => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    t.match(await exitOf({ port, dataDir: t.testdir() }), { code: 75, output: new RegExp(`port ${port} is in use`) });
  });

  t.test("every bad setting, by its name", async (t) => {
    const settings = {
      ENGINE_LOG_LEVEL: "LOUD",
      LLM_PROVIDER: "oracle",
      REACTIVE_COMPACT_ENABLED: "yes",
      ORCH_CODE_MAX_TOOL_USE_CONCURRENCY: "0",
    };
    const { code, output } = await exitOf({ settings, dataDir: t.testdir() });
    t.equal(code, 78);
    for (const name of Object.keys(settings)) t.match(output, new RegExp(`${name}: expected`));
  });

  t.test("a store of a newer engine", async (t) => {
    const dataDir = t.testdir();
    const db = new DatabaseSync(join(dataDir, "engine.db"));
    db.exec("pragma user_version = 9999");
    db.close();
    t.match(await exitOf({ dataDir }), {
      code: 75,
      output: /^the engine cannot start: .*engine\.db was written by a newer engine\n$/,
    });
  });

  t.test("another engine on the same data", async (t) => {
    const dataDir = t.testdir();
    const engine = await startEngine(t, { dataDir });
    t.match(await exitOf({ dataDir }), { code: 75, output: /another engine/ });
    t.match((await engine.turn("alive", "/say alive")).at(-1)?.data, { phase: "completed" });
  });
});
