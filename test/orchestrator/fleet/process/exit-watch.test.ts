import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import t, { type Test } from "tap";
import { ExitWatch } from "../../../../src/orchestrator/fleet/process/exit-watch.ts";
import { readIdentity } from "../../../../src/sandbox/processes.ts";

function sleeper(t: Test): ChildProcess & { readonly pid: number } {
  const child = spawn("/bin/sleep", ["60"], { stdio: "ignore" });
  const hold = setInterval(() => undefined, 1000);
  t.teardown(() => {
    clearInterval(hold);
    child.kill("SIGKILL");
  });
  return Object.assign(child, { pid: child.pid ?? 0 });
}

const gone = { code: null, signal: null };

t.test("the exit of a watched process is detected, that of another is not", async (t) => {
  const [one, other] = [sleeper(t), sleeper(t)];
  const watch = new ExitWatch();
  const [ended, otherEnded] = [watch.ended(readIdentity(one.pid)), watch.ended(readIdentity(other.pid))];
  let early = false;
  void otherEnded.then(() => (early = true));
  one.kill("SIGKILL");
  await once(one, "exit");
  const since = performance.now();
  t.same(await ended, gone);
  t.comment(`noticed after ${Math.round(performance.now() - since)} ms`);
  t.notOk(early);
  other.kill("SIGKILL");
  await once(other, "exit");
  watch.check();
  t.same(await otherEnded, gone);
});

t.test("a reused pid does not hide the exit of the first process", async (t) => {
  const { pid, startTime } = readIdentity(sleeper(t).pid);
  const watch = new ExitWatch();
  t.same(await watch.ended({ pid, startTime: String(Number(startTime) - 1) }), gone);
});
