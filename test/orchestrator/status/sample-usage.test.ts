import t from "tap";
import { LiveEngines, type LiveEngine } from "../../../src/orchestrator/fleet/live-engines.ts";
import { sampleUsage } from "../../../src/orchestrator/status/sample-usage.ts";
import { EngineSampleStore } from "../../../src/orchestrator/status/engine-sample-store.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { testFleet } from "../../helpers/fleet.ts";
import { until } from "../../helpers/until.ts";

t.test("each engine gets its usage, also one that comes later, and none for a process that is gone", async (t) => {
  const live = new LiveEngines();
  const engineOf = (id: string, pid: number) =>
    ({
      id,
      incarnation: id,
      usage: null,
      counted: null,
      diskBytes: null,
      activeTurns: null,
      process: { handle: { pid } },
    }) as unknown as LiveEngine;
  const [own, gone] = [engineOf("own", process.pid), engineOf("gone", 2 ** 22 + 1)];
  live.add(own);
  live.add(gone);
  const samples = new EngineSampleStore(0);
  const stop = new AbortController();
  const logger = createLogger("test", "silent");
  const done = sampleUsage({
    backend: testFleet(t, "well-behaved").backend,
    live,
    samples,
    now: () => 1_000,
    logger,
    stopping: stop.signal,
  });
  await until("the first sample", () => own.usage !== null);
  t.match(own.usage, { cpuPercent: null, sampledAt: 1_000 });
  await until("the second sample", () => own.usage?.cpuPercent !== null);
  t.ok(own.usage!.cpuPercent! >= 0 && own.usage!.memoryBytes > 10 * 2 ** 20);
  t.equal(gone.usage, null);
  const hour = samples.ofHost(1_000);
  t.equal(hour.engines.at(-1), 2);
  t.ok((hour.samples.memory_mb.at(-1) ?? 0) > 10, "the sums of the host are kept");
  stop.abort();
  await done;
});
