import t from "tap";
import { engine, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEYS = { ORCH_PLATFORM_KEY: "orchp_of-the-test", ORCH_ENGINE_KEY: "sk-orch-of-the-test" };
const TOLD =
  /^(?:{"note":")?orchctl: the model call failed, next try in (?:60|59) s: connect ECONNREFUSED 127\.0\.0\.1:9 \(someone, m\)(?:"})?$/gm;

const refused = { status: 400, body: { error: "INVALID_REQUEST", message: "no health" } };
const retrying = () => ({
  status: "retrying",
  last_error: "connect ECONNREFUSED 127.0.0.1:9 (someone, m)",
  last_error_at: "2026-11-01T12:00:00.000Z",
  next_try_at: new Date(Date.now() + 60_000).toISOString(),
});

t.test("a silent turn is explained by the engine's failing model calls, each failure once", async (t) => {
  const chat = async (...options: string[]) => {
    const server = await startFakeServer(t);
    server.on("GET /engines/alice", { body: engine({ url: server.url }) });
    server.on("POST /execute", (_call, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "x-turn-id": "turn_1" });
      response.flushHeaders();
      let looks = 0;
      server.on("GET /health", () => {
        looks++;
        if (looks === 1) return refused;
        if (looks === 4) response.end(`event: thread_lifecycle\ndata: {"phase":"completed","seq":1}\n\n`);
        return { body: { model: retrying() } };
      });
    });
    return orchctlFor(t, server)(["chat", "alice", "hi", ...options], { env: KEYS });
  };
  for (const ran of await Promise.all([chat(), chat("--json")])) {
    t.equal(ran.code, 0, ran.stderr);
    t.equal(ran.stderr.match(TOLD)?.length, 1, ran.stderr);
    t.notMatch(ran.stdout, /ECONNREFUSED/);
  }
});
