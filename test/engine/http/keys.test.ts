import t from "tap";
import { newKey, sha256 } from "../../../src/contract/orchestrator/api-keys.ts";
import { startEngine } from "../../helpers/engine.ts";
import { ask } from "../../helpers/api.ts";

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

t.test("only the engine's key opens it, and health needs none", async (t) => {
  const engine = await startEngine(t);
  const health = await ask(engine.url, "/health");
  t.match(health, {
    status: 200,
    body: { status: "ok", engine_id: engine.launch.engine_id, incarnation: engine.launch.incarnation, active_turns: 0 },
  });
  const wrong: Record<string, string>[] = [{}, { "x-engine-key": newKey("sk-orch-") }, { "x-engine-key": "" }];
  const answers = [];
  for (const headers of wrong) {
    const call = { method: "POST", headers, body: "{not json" };
    const answer = await ask(engine.url, "/execute", call);
    t.equal(answer.status, 401, "before the body is looked at");
    answers.push(answer.body);
  }
  t.match(answers[0], { error: "INVALID_ENGINE_KEY", message: String });
  t.same(answers[1], answers[0], "missing and wrong answer alike");
  t.same(answers[2], answers[0]);
  const query = await ask(engine.url, `/execute/replay?x-engine-key=${engine.key}`);
  t.equal(query.status, 401, "the key counts in its header only");
  t.notMatch(engine.output(), engine.key);
});

t.test("a rotation takes the new key and the old one for its grace, and drops no stream", async (t) => {
  const engine = await startEngine(t);
  const next = newKey("sk-orch-");
  const stream = await engine.execute({ task_id: "long", message: "/slow 600\n/stream 20 100\n/say over" });
  await stream.first("thread_lifecycle");
  const rotated = await engine.control("/control/keys", {
    body: {
      keys: [
        { hash: sha256(next), expires_at: null },
        { hash: sha256(engine.key), expires_at: inMs(1500) },
      ],
    },
  });
  t.match(rotated, { status: 200, body: { keys: 2 } });
  const replay = (key: string) => ask(engine.url, "/execute/replay?limit=1", { headers: { "x-engine-key": key } });
  t.equal((await replay(next)).status, 200);
  t.equal((await replay(engine.key)).status, 200, "in its grace");
  await engine.control("/control/keys", { body: { keys: [{ hash: sha256(next), expires_at: null }] } });
  t.equal((await replay(engine.key)).status, 401);
  t.match((await stream.all()).at(-1)?.data, { phase: "completed" }, "the stream opened with the old key went on");
  const expired = [
    { hash: sha256(next), expires_at: null },
    { hash: sha256(engine.key), expires_at: inMs(-1) },
  ];
  await engine.control("/control/keys", { body: { keys: expired } });
  t.equal((await replay(engine.key)).status, 401, "after its grace");
});

t.test("the control calls are the daemon's alone", async (t) => {
  const engine = await startEngine(t);
  for (const path of ["/control/status", "/control/keys", "/control/drain"]) {
    t.equal((await engine.call(path, { method: path.endsWith("status") ? "GET" : "POST" })).status, 404);
  }
  t.match(await engine.control("/control/status"), {
    status: 200,
    body: { active_turns: 0, pending_hitl: 0, streams: 0, draining: false, last_active_at: null },
  });
  const running = await engine.execute({ task_id: "running", message: "/slow 500\n/say done" });
  await running.first("thread_lifecycle");
  t.match((await engine.control("/control/drain", { method: "POST" })).body, { draining: true, active_turns: 1 });
  const refused = await engine.call("/execute", { body: { task_id: "new", message: "/say x" } });
  t.match(refused, { status: 503, body: { error: "ENGINE_DRAINING" } });
  t.ok(refused.headers["retry-after"]);
  t.match((await running.all()).at(-1)?.data, { phase: "completed" }, "a turn that ran before the drain completes");
  t.equal((await engine.call("/execute/replay")).status, 200, "replay goes on");
});
