import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import {
  isAlive,
  listProcesses,
  ownerOf,
  readIdentity,
  readStat,
  startArguments,
  startVariable,
} from "../../../../src/sandbox/processes.ts";
import { bootId } from "../../../../src/orchestrator/fleet/process/process-identity.ts";
import { sameProcess } from "../../../../src/orchestrator/fleet/process/process-handle.ts";
import { startHeadless } from "../../../helpers/headless.ts";
import { freshFolder } from "../../../helpers/folder.ts";

t.test("a program name with blanks and parentheses is parsed", async (t) => {
  const folder = freshFolder(t, "identity");
  const program = join(folder, "a) R 1 (b");
  copyFileSync("/bin/sleep", program);
  const child = spawn(program, ["60"], { stdio: "ignore", env: { MARK: "a=b" } });
  const pid = child.pid ?? 0;
  const identity = readIdentity(pid);
  t.match(readStat(pid), { pid, parent: process.pid });
  t.match(identity.startTime, /^\d+$/);
  t.ok(isAlive(identity));
  t.ok(sameProcess({ ...identity, bootId: bootId() }));
  t.equal(startVariable(pid, "MARK"), "a=b");
  t.equal(startVariable(pid, "MAR"), null);
  t.equal(ownerOf(pid), process.getuid?.());
  child.kill("SIGKILL");
  await once(child, "exit");
  t.notOk(isAlive(identity));
  t.equal(readStat(pid), null);
  t.equal(ownerOf(pid), null);
  t.equal(startVariable(pid, "MARK"), null);
});

t.test("the arguments of a process whose first thread has exited are known", async (t) => {
  t.equal(startArguments(await startHeadless(t))[0], process.execPath);
});

/** The parent of the kernel's threads. A container does not see it. */
const KERNEL = 2;
const hasKernel = existsSync(`/proc/${KERNEL}`) && readFileSync(`/proc/${KERNEL}/comm`, "utf8") === "kthreadd\n";

t.test("threads of the kernel are no processes", { skip: !hasKernel && "this container has none" }, async (t) => {
  const listed = listProcesses();
  t.ok(listed.some(({ pid }) => pid === process.pid));
  t.same(
    listed.filter(({ pid, parent }) => pid === KERNEL || parent === KERNEL),
    [],
  );
});

t.test("invalid values of an old row match no process", async (t) => {
  const { startTime } = readIdentity(process.pid);
  for (const pid of [0, 1, -1, Number.NaN, 2 ** 40])
    t.notOk(sameProcess({ pid, startTime, bootId: bootId() }), String(pid));
});
