import t from "tap";
import { probeWaitMs } from "../../../src/orchestrator/rules/probe-wait.ts";

t.test("probes keep the interval on average and share a few ticks", (t) => {
  const moments = new Set<number>();
  for (let engine = 0; engine < 1000; engine++) {
    const nowMs = 123_456.7 + (engine * 10_000) / 1000;
    const wait = probeWaitMs({ intervalMs: 10_000, nowMs, random: (engine * 0.618) % 1 });
    if (wait < 8750 || wait > 11_250) t.fail(`${wait} ms`);
    moments.add(Math.round(nowMs + wait));
  }
  t.ok(moments.size <= 26, `${moments.size} moments`);
  t.ok([...moments].every((at) => at % 500 === 0));
  t.ok(probeWaitMs({ intervalMs: 1000, nowMs: 5, random: 0 }) > 850, "a short interval has moments of its own");
  t.end();
});
