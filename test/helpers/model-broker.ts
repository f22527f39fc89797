import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Test } from "tap";
import { DaemonRoad } from "../../src/broker/ask-daemon.ts";
import { CallBudgets } from "../../src/broker/call-budget.ts";
import { CallCounts } from "../../src/broker/call-counts.ts";
import { EngineStandings } from "../../src/broker/engine-standing.ts";
import { OpenCalls } from "../../src/broker/open-calls.ts";
import { CallForwarder } from "../../src/broker/forward-call.ts";
import { type ModelRoute, sealCallKey } from "../../src/contract/broker/call-key.ts";

export interface TestBroker {
  readonly url: string;
  readonly counts: CallCounts;
  keyFor(route: Pick<ModelRoute, "provider"> & Partial<ModelRoute>): string;
}

const EVERY_ENGINE = { of: () => ({ is_current: true, has_budgets: false, tool_network: "open" as const }) };

/** The broker's part that forwards, in this process. `daemonUrl`: whom it asks. Left out, every engine is a good one. */
export async function startTestBroker(t: Test, daemonUrl: string | null = null): Promise<TestBroker> {
  const sealingKey = randomBytes(32);
  const counts = new CallCounts();
  const road = new DaemonRoad({ token: "of the test", url: daemonUrl });
  const forwarder = new CallForwarder({
    sealingKey,
    counts,
    standings: daemonUrl === null ? EVERY_ENGINE : new EngineStandings(road),
    budgets: new CallBudgets(road),
    open: new OpenCalls(),
    prepareTls: async () => undefined,
    log: () => undefined,
  });
  const server = createServer((request, response) => forwarder.forward(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    forwarder.close();
    road.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    keyFor: (route) =>
      sealCallKey(sealingKey, {
        engine: "eng_1",
        incarnation: "i",
        apiKey: null,
        baseUrl: null,
        region: null,
        ...route,
      }),
  };
}

/** The process of a daemon's broker. Null before its first start. */
export function brokerPid(dataDir: string): number | null {
  try {
    return (JSON.parse(readFileSync(join(dataDir, "broker", "process.json"), "utf8")) as { pid: number }).pid;
  } catch {
    return null;
  }
}

/** Ends what a daemon leaves running for the next one. */
export function endBroker(dataDir: string): void {
  const pid = brokerPid(dataDir);
  if (pid === null) return;
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("orchd-broker")) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
