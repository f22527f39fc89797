import t from "tap";
import { StallWatch } from "../../src/shared/stall-watch.ts";
import { until } from "../helpers/until.ts";

t.test("a process that did not run for a while knows it, from that moment on and not before", async (t) => {
  const watch = new StallWatch();
  t.teardown(() => watch.stop());
  const before = performance.now();
  t.equal(watch.since(before), false);
  const end = performance.now() + 700;
  while (performance.now() < end);
  t.equal(watch.since(before), true, "although no timer has run since");
  let after = 0;
  await until("it is calm", () => {
    after = performance.now();
    return !watch.since(after);
  });
  t.equal(watch.since(before), true);
});
