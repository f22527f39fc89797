import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import t, { type Test } from "tap";
import { DEFAULT_POLICY, type Policy } from "../../../src/contract/orchestrator/policy.ts";
import { type LiveEngine, LiveEngines } from "../../../src/orchestrator/fleet/live-engines.ts";
import { endHookRead, followToolHooks, syncToolHook } from "../../../src/orchestrator/supervision/follow-tool-hooks.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { SerialLanes } from "../../../src/shared/serial-lanes.ts";
import { until } from "../../helpers/until.ts";

const HOOKED: Policy = {
  ...DEFAULT_POLICY,
  tool_hook: { url: "https://hooks.invalid/", tools: ["*"], timeout_ms: 500, on_error: "deny" },
};

/** A host with one engine, which holds every read of its calls; and the calls that it got. */
async function hostOf(t: Test, { policy, status = 200 }: { readonly policy: Policy; readonly status?: number }) {
  const calls: string[] = [];
  let reading = 0;
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url?.split("?")[0]}`);
    request.resume();
    if (status !== 200 || request.method === "POST") {
      response.writeHead(status).end("{}");
      return;
    }
    reading++;
    response.once("close", () => reading--);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = new AbortController();
  t.teardown(() => {
    stop.abort();
    server.close();
    server.closeAllConnections();
  });
  const exited = Promise.withResolvers<void>();
  const engine = {
    id: "eng_1",
    productId: "prod_1",
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    controlToken: "token",
    process: { exited: exited.promise },
    hook: { sent: "null", isFollowed: false, isUnsupported: false, read: null },
  } as unknown as LiveEngine;
  const live = new LiveEngines();
  live.add(engine);
  let current = policy;
  let change = (): void => undefined;
  const directory = {
    named: async () => ({ record: { policy: current } }),
    onChange: (listener: () => void) => (change = listener),
  };
  const logger = createLogger("test", "silent");
  const parts = { directory, live, lanes: new SerialLanes(), logger, stopping: stop.signal };
  const host = parts as unknown as Parameters<typeof followToolHooks>[0];
  followToolHooks(host);
  return {
    host,
    engine,
    live,
    calls,
    reading: () => reading,
    exit: () => exited.resolve(),
    setPolicy(next: Policy) {
      current = next;
      change();
    },
  };
}

t.test(
  "an engine of a product without a hook is neither told nor read, and one with a hook is read by one call",
  async (t) => {
    const site = await hostOf(t, { policy: DEFAULT_POLICY });
    await syncToolHook(site.host, site.engine);
    t.same(site.calls, []);
    site.setPolicy(HOOKED);
    await until("it is read", () => site.reading() === 1);
    for (let probe = 0; probe < 5; probe++) await syncToolHook(site.host, site.engine);
    t.same(site.calls.toSorted(), ["GET /control/hooks", "POST /control/tool-hook"]);
    site.setPolicy(DEFAULT_POLICY);
    await until("it is read no more", () => site.reading() === 0 && !site.engine.hook.isFollowed);
    await until("it was told", () => site.calls.length === 3);
  },
);

t.test("a read ends for an engine that falls asleep, and none begins until that is settled", async (t) => {
  const site = await hostOf(t, { policy: HOOKED });
  await syncToolHook(site.host, site.engine);
  await until("it is read", () => site.reading() === 1);
  await site.host.lanes.run("sleep eng_1", async () => {
    await endHookRead(site.engine);
    await until("the engine has no call", () => site.reading() === 0);
    const before = site.calls.length;
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    t.equal(site.calls.length, before);
    site.live.remove("eng_1", site.engine.incarnation);
  });
  await until("it is followed no more", () => !site.engine.hook.isFollowed);
  t.equal(site.reading(), 0);
});

t.test("an engine of an earlier release is asked once", async (t) => {
  const site = await hostOf(t, { policy: HOOKED, status: 404 });
  await syncToolHook(site.host, site.engine);
  await until("it is given up", () => site.engine.hook.isUnsupported && !site.engine.hook.isFollowed);
  const before = site.calls.length;
  for (let probe = 0; probe < 5; probe++) await syncToolHook(site.host, site.engine);
  t.equal(site.calls.length, before);
});

t.test("an engine that ends is read no more", async (t) => {
  const site = await hostOf(t, { policy: HOOKED });
  await syncToolHook(site.host, site.engine);
  await until("it is read", () => site.reading() === 1);
  site.exit();
  await until("it is followed no more", () => site.reading() === 0 && !site.engine.hook.isFollowed);
});
