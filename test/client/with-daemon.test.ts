import t from "tap";
import { createEngineClient } from "../../src/client/engine-client.ts";
import { createEngines } from "../../src/client/kept-engines.ts";
import { memoryKeys } from "../../src/client/key-store.ts";
import { createOrchestratorClient } from "../../src/client/orchestrator-client.ts";
import { freePort, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";
import { QUICK } from "./wire.ts";

t.test(
  "a product's backend: an engine is made, talked to, stopped, started, given a new key and destroyed",
  async (t) => {
    const dataDir = freshFolder(t);
    const env = { ORCH_ADMIN_KEY: "admin-key-of-the-test", ORCH_PORT: String(await freePort()) };
    const daemon = await startDaemon(t, { dataDir, databaseUrl: await freshDatabaseUrl(t), env });
    t.teardown(() => daemon.admin("/products/demo?force=true", { method: "DELETE" }));
    const registered = await daemon.admin("/products/register", { method: "POST", body: { slug: "demo" } });
    const platformKey: string = registered.body.platform_api_key;
    const orchestrator = createOrchestratorClient({ url: daemon.url, platformKey, limits: QUICK });

    const seen: string[] = [];
    const listening = new AbortController();
    const events = (async () => {
      for await (const { type } of orchestrator.events({ after: "start", signal: listening.signal })) seen.push(type);
    })();

    const made = await orchestrator.provision({ userId: "a/b", metadata: { plan: "free" } });
    t.match(made, { user_id: "a/b", state: "running", metadata: { plan: "free" }, engine_api_key: /^sk-orch-/ });
    await t.rejects(orchestrator.provision({ userId: "a/b" }), { code: "ENGINE_ALREADY_EXISTS", status: 409 });
    t.match(await orchestrator.admit({ userId: "a/b" }), { id: made.id, engine_api_key: null });

    const engine = createEngineClient({ url: made.url, key: made.engine_api_key ?? "", limits: QUICK });
    t.equal(await engine.execute({ taskId: "t", message: "/say hello" }).text(), "hello");
    t.match(await engine.health(), { engine_id: made.id, incarnation: made.incarnation });

    const rotated = await orchestrator.rotateKey("a/b", { graceS: 0 });
    t.not(rotated.engine_api_key, made.engine_api_key);
    await t.rejects(engine.pending(), { code: "INVALID_ENGINE_KEY" });
    t.match(await orchestrator.stop("a/b", { drainS: 0 }), { state: "stopped", stop_result: /./ });
    await t.rejects(orchestrator.stop("a/b"), { code: "ENGINE_NOT_RUNNING" });
    await orchestrator.start("a/b");
    t.match(await orchestrator.wait("a/b", { timeoutS: 30 }), { state: "running" });
    await orchestrator.sleep("a/b");
    const sleeper = await createEngines({ orchestrator, keys: memoryKeys(), limits: QUICK }).open("a/b");
    t.same(await sleeper.pending(), [], "the lost key of a sleeping engine is replaced");
    const users: string[] = [];
    for await (const { user_id: user } of orchestrator.list({ pageSize: 1 })) users.push(user);
    t.same(users, ["a/b"]);
    t.same(await orchestrator.destroy("a/b"), { destroyed: true });
    await t.rejects(orchestrator.get("a/b"), { code: "ENGINE_NOT_FOUND", status: 404, requestId: /./ });

    await until("the events have come", () => seen.includes("engine.destroyed"));
    listening.abort();
    await t.rejects(events, { name: "AbortError" });
    t.equal(seen.filter((type) => type === "engine.provisioned").length, 1);
  },
);
