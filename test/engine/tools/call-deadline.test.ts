import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { CallDeadline } from "../../../src/engine/tools/call-deadline.ts";

const holder = setInterval(() => undefined, 1000);
t.teardown(() => clearInterval(holder));

t.test("waiting for a person does not count against the deadline", async (t) => {
  const deadline = new CallDeadline({ ms: 200, maxMs: 200, prolonged: false });
  const answer = Promise.withResolvers<string>();
  const asked = deadline.whileAsking(answer.promise);
  await sleep(600);
  t.notOk(deadline.signal.aborted, "the clock stood still");
  answer.resolve("yes");
  t.equal(await asked, "yes");
  await once(deadline.signal, "abort");
  t.match(deadline.signal.reason, { name: "TimeoutError" });
});

t.test("progress restarts the timeout up to the total limit", async (t) => {
  const deadline = new CallDeadline({ ms: 1000, maxMs: 3000, prolonged: true });
  const begin = performance.now();
  const alive = setInterval(() => deadline.progress(), 50);
  await once(deadline.signal, "abort");
  clearInterval(alive);
  t.ok(performance.now() - begin >= 2900);
});

t.test("without prolonged, progress does not restart the timeout", async (t) => {
  const deadline = new CallDeadline({ ms: 300, maxMs: 60_000, prolonged: false });
  const alive = setInterval(() => deadline.progress(), 20);
  await once(deadline.signal, "abort");
  clearInterval(alive);
  t.pass("it ended");
});

t.test("an ended deadline has no timer and never aborts", async (t) => {
  const deadline = new CallDeadline({ ms: 50, maxMs: 50, prolonged: true });
  const never = deadline.whileAsking(new Promise<string>((resolve) => setTimeout(resolve, 100, "late")));
  deadline.end();
  await never;
  await sleep(150);
  t.notOk(deadline.signal.aborted);
});
