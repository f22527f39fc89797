import t from "tap";
import { drainEngine, engineStatus, setEngineKeys } from "../../../src/orchestrator/engine-calls/engine-control.ts";
import { listen } from "../../../src/shared/http/http-server.ts";
import { HOST, freePort, healthy, testFleet, urlOf } from "../../helpers/fleet.ts";

t.test("keys are set, the engine is drained and its status is read", async (t) => {
  const { backend, order } = testFleet(t, "well-behaved");
  const given = await order();
  const engine = await backend.launch(given);
  await healthy(given, engine);
  const target = { url: urlOf(given), token: given.launch.control_token };
  t.same(await setEngineKeys(target, [{ hash: "0".repeat(64), expires_at: null }]), { kind: "ok" });
  t.match(await engineStatus(target), { kind: "ok", status: { draining: false, active_turns: 0 } });
  t.match(await drainEngine(target), { kind: "ok", status: { draining: true } });
  t.match(await engineStatus(target), { kind: "ok", status: { draining: true } });
  t.match(await engineStatus({ ...target, token: "of another life" }), { kind: "failed", reason: /401/ });
  await engine.stop(5000);
  backend.sockets.release(given.launch.engine_id);
  t.same(await engineStatus(target), { kind: "failed", reason: "nothing listens on the port" });
});

t.test("a missing engine and a wrong response are results, not exceptions", async (t) => {
  const url = `http://${HOST}:${await freePort()}`;
  t.match(await setEngineKeys({ url, token: "t" }, []), { kind: "failed" });
  const server = await listen((_request, response) => response.end("{}"), HOST, 0);
  t.teardown(() => server.close(0));
  t.same(await drainEngine({ url: `http://${HOST}:${server.port}`, token: "t" }), {
    kind: "failed",
    reason: "the engine's status response is invalid",
  });
});

t.test("an invalid status is refused", async (t) => {
  const status = {
    active_turns: 0,
    pending_hitl: 0,
    streams: 0,
    draining: false,
    last_active_at: null,
    idle_since: null,
    awake: [],
  };
  for (const wrong of [
    { active_turns: -1 },
    { streams: 0.5 },
    { last_active_at: "-271821-04-20T00:00:00Z" },
    { last_active_at: "soon" },
  ]) {
    const server = await listen((_request, response) => response.end(JSON.stringify({ ...status, ...wrong })), HOST, 0);
    t.teardown(() => server.close(0));
    t.match(await engineStatus({ url: `http://${HOST}:${server.port}`, token: "t" }), { kind: "failed" });
  }
});

t.test("a call on a connection that was just closed is retried on a new one", async (t) => {
  let calls = 0;
  const status = { active_turns: 0, pending_hitl: 0, streams: 0, draining: false, last_active_at: null };
  const server = await listen(
    (request, response) => {
      calls++;
      if (calls === 2) request.socket.resetAndDestroy();
      else response.end(JSON.stringify(status));
    },
    HOST,
    0,
  );
  t.teardown(() => server.close(0));
  const target = { url: `http://${HOST}:${server.port}`, token: "t" };
  t.match(await engineStatus(target), { kind: "ok" });
  t.match(await engineStatus(target), { kind: "ok" });
  t.equal(calls, 3);
});
