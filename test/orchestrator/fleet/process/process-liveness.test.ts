import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ProcessLiveness } from "../../../../src/orchestrator/fleet/process/process-liveness.ts";
import { readIdentity } from "../../../../src/sandbox/processes.ts";
import { freshFolder } from "../../../helpers/folder.ts";
import { startHeadless } from "../../../helpers/headless.ts";
import { until } from "../../../helpers/until.ts";

t.test("a process is alive until it exits, whatever its name", async (t) => {
  const program = join(freshFolder(t, "living"), "a) Z 1 (b");
  copyFileSync("/bin/sleep", program);
  const child = spawn(program, ["60"], { stdio: "ignore" });
  const living = new ProcessLiveness(readIdentity(child.pid ?? 0));
  t.ok(living.isAlive());
  t.ok(living.isAlive(), "asked again");
  child.kill("SIGKILL");
  await once(child, "exit");
  t.notOk(living.isAlive());
  living.close();
  t.notOk(living.isAlive());
});

t.test("a zombie is not alive", async (t) => {
  // The shell becomes a program that never reaps its child.
  const parent = spawn("/bin/sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  t.teardown(() => parent.kill("SIGKILL"));
  const [printed] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(printed.toString());
  const living = new ProcessLiveness(readIdentity(pid));
  t.teardown(() => living.close());
  t.ok(living.isAlive());
  process.kill(pid, "SIGKILL");
  await until("the zombie is detected", () => !living.isAlive());
  t.ok(readIdentity(pid), "it is still there");
});

t.test("a process whose first thread has exited is alive until the others have", async (t) => {
  const pid = await startHeadless(t);
  const living = new ProcessLiveness(readIdentity(pid));
  t.teardown(() => living.close());
  t.ok(living.isAlive());
  process.kill(pid, "SIGKILL");
  await until("its end is detected", () => !living.isAlive());
});

t.test("a process that reuses a pid is not mistaken for the first one", (t) => {
  const { pid, startTime } = readIdentity(process.pid);
  const living = new ProcessLiveness({ pid, startTime: String(Number(startTime) - 1) });
  t.notOk(living.isAlive());
  t.end();
});
