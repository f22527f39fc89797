import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import type { AwakeReason } from "../../../src/contract/engine/sleep.ts";
import { DEFAULT_POLICY } from "../../../src/contract/orchestrator/policy.ts";
import type { LiveEngine } from "../../../src/orchestrator/fleet/live-engines.ts";
import { checkIdle } from "../../../src/orchestrator/supervision/idle-check.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { SerialLanes } from "../../../src/shared/serial-lanes.ts";

/** An engine whose first report says `reason`, and each later one nothing. */
async function engineKeptBy(t: Test, reason: AwakeReason) {
  let reads = 0;
  const server = createServer((_, response) => {
    const awake = reads++ === 0 ? [reason] : [];
    const none = { last_active_at: null, idle_since: null, idle_ms: null };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ active_turns: 0, pending_hitl: 0, streams: 0, draining: false, ...none, awake }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const engine = {
    id: "eng_1",
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    controlToken: "token",
    order: { launch: {}, upstreams: new Map() },
    usageCursor: null,
    noticesRead: 0,
    activeTurns: 0,
    modelFailedAt: null,
    isBudgetDue: false,
    budgetsSent: null,
    report: null,
  } as unknown as LiveEngine;
  const host = {
    directory: { policyOfEngine: async () => ({ ...DEFAULT_POLICY, idle_stop_s: 0 }) },
    cooldowns: { add: () => undefined },
    lanes: new SerialLanes(),
    logger: createLogger("test", "silent"),
    now: Date.now,
  } as unknown as Parameters<typeof checkIdle>[0];
  return { probe: () => checkIdle(host, engine), awake: () => engine.report?.awake, reads: () => reads };
}

for (const reason of ["turn", "learning"] as const)
  t.test(`an engine kept awake by ${reason} is asked again with the next probe`, async (t) => {
    const engine = await engineKeptBy(t, reason);
    await engine.probe();
    t.same(engine.awake(), [reason]);
    await engine.probe();
    t.same(engine.awake(), [], "what has ended is not shown");
    await engine.probe();
    t.equal(engine.reads(), 2, "an engine without work is not asked with each probe");
  });

t.test("an engine kept awake by a stream is not asked with each probe", async (t) => {
  const engine = await engineKeptBy(t, "stream");
  await engine.probe();
  await engine.probe();
  t.same(engine.awake(), ["stream"]);
  t.equal(engine.reads(), 1);
});
