import { closeSync, openSync, readdirSync } from "node:fs";
import t from "tap";
import { Metrics } from "../../../src/orchestrator/status/metrics.ts";
import { countDescriptors } from "../../../src/orchestrator/status/open-descriptors.ts";

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

t.test("the metric has the name of prom-client's, once", async (t) => {
  const text = await new Metrics().ownText(true);
  const lines = text.split("\n").filter((line) => line.startsWith("orch_process_open_fds "));
  t.equal(lines.length, 1);
  t.ok(Number(lines[0]?.split(" ")[1]) > 3);
});
