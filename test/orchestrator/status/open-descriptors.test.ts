import { closeSync, openSync, readdirSync } from "node:fs";
import { Registry, collectDefaultMetrics } from "prom-client";
import t from "tap";
import { countDescriptors, measureDescriptors } from "../../../src/orchestrator/status/open-descriptors.ts";

t.test("the number is that of the listed descriptors", (t) => {
  // The listing has a descriptor of its own.
  t.equal(countDescriptors(), readdirSync("/proc/self/fd").length - 1);
  const before = countDescriptors();
  const descriptor = openSync("/dev/null", "r");
  t.equal(countDescriptors(), before + 1);
  closeSync(descriptor);
  t.equal(countDescriptors(), before);
  t.end();
});

t.test("the gauge has the name and the place of prom-client's", async (t) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "orch_" });
  t.teardown(() => registry.clear());
  measureDescriptors(registry);
  const lines = (await registry.metrics()).split("\n").filter((line) => line.startsWith("orch_process_open_fds "));
  t.equal(lines.length, 1);
  t.ok(Number(lines[0]?.split(" ")[1]) > 3);
});
