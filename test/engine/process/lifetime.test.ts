import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { rmdirSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { launchEngine, startEngine } from "../../helpers/engine.ts";
import { temporaryFolder } from "../../helpers/run.ts";

t.test("SIGTERM waits for a short turn, rejects new ones, and exits with 0", async (t) => {
  const engine = await startEngine(t);
  const stream = await engine.execute({ task_id: "short", message: "/slow 400\n/say done" });
  await stream.first("thread_lifecycle");
  const exited = once(engine.process, "exit");
  engine.process.kill("SIGTERM");
  const end = (await stream.all()).at(-1)?.data;
  t.equal(end.phase, "completed");
  t.strictSame(await exited, [0, null]);
});

t.test("SIGTERM before the first call exits with 0", async (t) => {
  const engine = await startEngine(t);
  t.equal(await engine.stop(), 0);
});

t.test("a failed start prints the reason", async (t) => {
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
    t.match(await exitOf({ port, dataDir: t.testdir() }), { code: 69, output: new RegExp(`port ${port} is in use`) });
  });

  t.test("every invalid setting, by name", async (t) => {
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
      code: 76,
      output: /^the engine cannot start: engine\.db was written by a newer version \(.*9999.*\)\n$/,
    });
  });

  t.test("another engine on the same data folder", async (t) => {
    const dataDir = t.testdir();
    const engine = await startEngine(t, { dataDir });
    t.match(await exitOf({ dataDir }), {
      code: 71,
      output: new RegExp(`^the engine cannot start: engine\\.lock is locked by process ${engine.process.pid}\n$`),
    });
    t.match((await engine.turn("alive", "/say alive")).at(-1)?.data, { phase: "completed" });
  });

  const asRoot = { skip: process.getuid?.() !== 0 && "only root may make such a place" };

  t.test("a full disk", asRoot, async (t) => {
    const dataDir = temporaryFolder("full-disk");
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", dataDir]);
    t.teardown(() => {
      execFileSync("umount", ["-l", dataDir]);
      rmdirSync(dataDir);
    });
    t.match(await exitOf({ dataDir }), {
      code: 73,
      output: /^the engine cannot start: no space left on the device for engine\.db\n$/,
    });
  });

  t.test("a file without write permission", asRoot, async (t) => {
    for (const name of ["engine.lock", "engine.db"]) {
      const dataDir = t.testdir({ [name]: "" });
      execFileSync("chattr", ["+i", join(dataDir, name)]);
      const ended = await exitOf({ dataDir });
      execFileSync("chattr", ["-i", join(dataDir, name)]);
      t.match(ended, { code: 77, output: `the engine cannot start: permission denied on ${name}\n` });
    }
  });

  t.test("a file that cannot be read", async (t) => {
    const dataDir = t.testdir({ "engine.lock": {} });
    t.match(await exitOf({ dataDir }), {
      code: 74,
      output: /^the engine cannot start: engine\.lock cannot be used \(.*\)\n$/,
    });
  });
});

t.test("an engine that cannot load its bundles exits with the reason", async (t) => {
  const dataDir = t.testdir({ workspace: "no folder" });
  const { process, output } = await launchEngine(t, { dataDir });
  const [code] = await once(process, "exit");
  t.equal(code, 1);
  t.match(output(), /^the engine failed: Error: E(EXIST|NOTDIR)/m);
});
